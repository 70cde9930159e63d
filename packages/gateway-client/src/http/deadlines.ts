import { HEARTBEAT_MS, MAX_WAIT_MS } from '@agent-workspace/gateway-protocol';

/** `setTimeout` takes no more; past it, it would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** How long a gateway is waited for, in milliseconds. */
export interface GatewayDeadlines {
  /** For a connection. Default 10,000. */
  readonly connectMs: number;
  /** For the whole of a short answer. Default 60,000. */
  readonly answerMs: number;
  /** For what goes through many files; what is sent meanwhile starts it anew. Default 600,000. */
  readonly longAnswerMs: number;
  /** For the next byte of a long answer, which says `alive` every five seconds. Default 20,000. */
  readonly silenceMs: number;
  /** Without a byte of a long answer until the gateway is asked whether it is there. Default 6,000. */
  readonly patienceMs: number;
  /** For the end of a command that was aborted. Default 5,000. */
  readonly abortMs: number;
}

export const DEFAULT_DEADLINES: GatewayDeadlines = {
  connectMs: 10_000,
  answerMs: 60_000,
  longAnswerMs: 600_000,
  silenceMs: 4 * HEARTBEAT_MS,
  patienceMs: HEARTBEAT_MS + 1_000,
  // SIGTERM, two seconds, SIGKILL, and what was still in the pipes.
  abortMs: 5_000,
};

/** How long the gateway is asked to wait: well within what a short answer may take. */
export function waitMsWithin({ answerMs }: GatewayDeadlines): number {
  return Math.min(MAX_WAIT_MS, Math.floor(answerMs / 2));
}
