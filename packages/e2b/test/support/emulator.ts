import { E2BEmulator, type E2BEmulatorOptions } from '@agent-workspace/e2b-emulator';
import { requireEngine } from '@agent-workspace/testing';
import { E2B } from 'e2b';

/** Whether the tests here can run: a workspace wants its sandbox's `/home/user` and ports for itself. */
export const hasSandboxes: boolean = await requireEngine('e2b', async () => {
  await using emulator = await E2BEmulator.start();
  if (emulator.isolation !== 'process') return;
  throw new Error(`the emulator keeps its sandboxes apart by directories alone: ${emulator.isolationReason}`);
});

/** For an emulator to start, which may have to build its image first, and to end with all that it has. */
export const START_MS = 240_000;

/** An E2B of a test's own. */
export interface TestEmulator extends AsyncDisposable {
  readonly emulator: E2BEmulator;
  /** How a workspace gets there. */
  readonly connection: { readonly apiKey: string; readonly apiUrl: string; readonly sandboxUrl: string };
  /** The SDK's, for what somebody else does. */
  readonly client: E2B;
}

export async function startEmulator(options: E2BEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await E2BEmulator.start(options);
  const { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl } = emulator.env;
  const connection = { apiKey, apiUrl, sandboxUrl };
  return {
    emulator,
    connection,
    client: new E2B(connection),
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}
