import type { Template } from './templates.ts';

/** What a sandbox may reach, and who may reach it. The way out is open or closed as a whole. */
export interface SandboxNetwork {
  readonly allowOut?: readonly string[] | undefined;
  readonly denyOut?: readonly string[] | undefined;
  readonly rules?: Readonly<Record<string, unknown>> | undefined;
  readonly egressProxy?: unknown;
  readonly allowPublicTraffic?: boolean | undefined;
  readonly maskRequestHost?: string | undefined;
  readonly httpsPorts?: readonly number[] | undefined;
}

/** What a sandbox was created with. */
export interface SandboxSpec {
  readonly template: Template;
  readonly timeoutMs: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly envVars: Readonly<Record<string, string>>;
  /** Whether envd asks for a token. */
  readonly isSecure: boolean;
  readonly network: SandboxNetwork | undefined;
  readonly allowInternetAccess: boolean | undefined;
  readonly onTimeout: 'kill' | 'pause';
  /** Whether a pause at the end of the time keeps memory and processes. */
  readonly pauseKeepsMemory: boolean;
  readonly autoResume: boolean;
}
