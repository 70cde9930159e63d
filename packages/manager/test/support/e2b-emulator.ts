import { E2BEmulator } from '@agent-workspace/e2b-emulator';
import { requireEngine } from '@agent-workspace/testing';
import { E2B } from 'e2b';

/** Whether the tests on E2B can run: a workspace wants its sandbox's `/home/user` and ports for itself. */
export const hasSandboxes: boolean = await requireEngine('e2b', async () => {
  await using emulator = await E2BEmulator.start();
  if (emulator.isolation !== 'process') return;
  throw new Error(`the emulator keeps its sandboxes apart by directories alone: ${emulator.isolationReason}`);
});

/** For an emulator to start, which may have to build its image first, and to end with all that it has. */
export const START_MS = 240_000;

/** An E2B of a test file's own. */
export interface TestE2B extends AsyncDisposable {
  readonly emulator: E2BEmulator;
  /** How a manager gets there. */
  readonly connection: { readonly apiKey: string; readonly apiUrl: string; readonly sandboxUrl: string };
  /** The SDK's, for what somebody else does. */
  readonly client: E2B;
}

export async function startE2B(): Promise<TestE2B> {
  const emulator = await E2BEmulator.start();
  const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
  const connection = { apiKey, apiUrl, sandboxUrl };
  return { emulator, connection, client: new E2B(connection), [Symbol.asyncDispose]: () => emulator.close() };
}
