import { ENVD_VERSION } from '../envd/initialise.ts';
import { callEnvd } from '../roots/call-envd.ts';
import { PortClosedError } from '../roots/port-closed-error.ts';
import type { SandboxRoot } from '../roots/sandbox-root.ts';

/** What envd is told when it starts. */
export interface EnvdSettings {
  readonly envVars: Readonly<Record<string, string>>;
  readonly accessToken: string | undefined;
  readonly defaultUser: string;
}

const START_DEADLINE_MS = 30_000;
const POLL_MS = 4;

/**
 * Boots a root and waits until its envd has taken the settings.
 *
 * @returns envd's version
 */
export async function startEnvd(root: SandboxRoot, settings: EnvdSettings): Promise<string> {
  await root.boot();
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    try {
      // No `timestamp`: a real envd would set this machine's clock by it.
      const answer = await callEnvd(root, { method: 'POST', path: '/init', body: settings });
      if (answer.status === 204) return String(answer.headers['x-envd-version'] ?? ENVD_VERSION);
      throw new Error(`envd answered ${answer.status} to its settings: ${answer.body}`);
    } catch (error) {
      if (!(error instanceof PortClosedError) && !isConnectionLoss(error)) throw error;
      if (Date.now() > deadline) {
        throw new Error(`envd did not answer within ${START_DEADLINE_MS} ms. See the emulator's log.`, {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

function isConnectionLoss(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
}
