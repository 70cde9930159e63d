import type * as E2B from 'e2b';

/** The module of one version of the SDK. */
export type Sdk = typeof E2B;

export interface SdkContext {
  readonly sdk: Sdk;
  /** One that all cases of a file share: none of them ends it. */
  readonly sandbox: E2B.Sandbox;
  /** One of its own, killed after the case. */
  readonly create: (options?: E2B.SandboxOpts) => Promise<E2B.Sandbox>;
}

/** Something that the SDK does in public, checked with `node:assert`: it runs where there is no vitest. */
export interface SdkCase {
  readonly name: string;
  /** Whether it is about what only a root of its own has, not plain processes of this machine. */
  readonly needsRoot?: boolean | undefined;
  readonly run: (context: SdkContext) => Promise<void>;
}

/** Waits until something holds, and fails with what it said last. */
export async function eventually(check: () => void | Promise<void>, deadlineMs = 30_000): Promise<void> {
  const endMs = Date.now() + deadlineMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
    await new Promise((resolve) => void setTimeout(resolve, 25));
  }
}
