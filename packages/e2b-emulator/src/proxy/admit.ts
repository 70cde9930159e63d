import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ENVD_PORT } from '../roots/call-envd.ts';
import { AUTO_RESUME_MS, type Sandbox } from '../sandboxes/sandbox.ts';
import { SandboxStateError } from '../sandboxes/sandbox-error.ts';
import * as answers from './proxy-answer.ts';
import type { ProxyAnswer } from './proxy-answer.ts';

const TRAFFIC_HEADER = 'e2b-traffic-access-token';
const ENVD_HEADER = 'x-access-token';
const ENVD_CONTROL_PATHS: ReadonlySet<string> = new Set([
  '/init',
  '/freeze',
  '/unfreeze',
  '/collapse',
  '/fsfreeze',
  '/fsthaw',
  '/upgrade',
]);

export interface Visit {
  readonly sandbox: Sandbox;
  readonly port: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Decides whether a request may go to a port of a sandbox, and wakes a paused one where it may.
 *
 * @returns why not, or nothing
 */
export async function admit(visit: Visit): Promise<ProxyAnswer | undefined> {
  const { sandbox, port, path, headers } = visit;
  const isEnvd = port === ENVD_PORT;
  if (isEnvd && ENVD_CONTROL_PATHS.has(path)) return answers.controlPathAnswer(path);
  const { trafficAccessToken } = sandbox;
  if (!isEnvd && trafficAccessToken !== undefined && !equals(headers[TRAFFIC_HEADER], trafficAccessToken)) {
    return answers.trafficTokenAnswer(sandbox.sandboxId, headers[TRAFFIC_HEADER] === undefined);
  }
  const state = await sandbox.settled();
  switch (state) {
    case 'running':
      return undefined;
    case 'paused':
      return wake(visit);
    case 'killed':
      return answers.sandboxNotFoundAnswer(sandbox.sandboxId);
    case 'pausing':
    case 'resuming':
      return answers.transitioningAnswer(sandbox.sandboxId);
  }
}

async function wake({ sandbox, port, headers }: Visit): Promise<ProxyAnswer | undefined> {
  const { sandboxId, spec, envdAccessToken } = sandbox;
  if (!spec.autoResume) return answers.sandboxNotFoundAnswer(sandboxId);
  if (port === ENVD_PORT && envdAccessToken !== undefined && !equals(headers[ENVD_HEADER], envdAccessToken)) {
    return answers.resumeDeniedAnswer(sandboxId);
  }
  try {
    await sandbox.resume({ timeoutMs: Math.max(spec.timeoutMs, AUTO_RESUME_MS) });
    return undefined;
  } catch (error) {
    if (!(error instanceof SandboxStateError)) throw error;
    // Somebody else has woken it meanwhile, or ended it.
    const state = await sandbox.settled();
    return state === 'running' ? undefined : answers.sandboxNotFoundAnswer(sandboxId);
  }
}

function equals(given: string | string[] | undefined, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
