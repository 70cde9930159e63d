import type { Duplex } from 'node:stream';
import type { Logger } from '@agent-workspace/core';
import { unreachable } from '@agent-workspace/gateway-client';
import type { Transport } from './transport.ts';

/** Where addresses of Pods lead nowhere, nothing comes back at all. */
const PROBE_MS: Readonly<Record<Transport['kind'], number>> = { 'pod-ip': 1_000, 'port-forward': 10_000, exec: 10_000 };

/** Without a token: an address of a Pod may be another machine's in the network of this host. */
const REQUEST = 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 ';

export interface ChooseTransportOptions {
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/**
 * The first way that leads to a gateway that runs, found out by asking it whether it is alive.
 *
 * @throws `gateway-unreachable`, with the reason of each
 */
export async function chooseTransport(
  candidates: readonly Transport[],
  { signal, logger }: ChooseTransportOptions,
): Promise<Transport> {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    try {
      await probe(candidate, signal);
      return candidate;
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug('A way to the gateway does not lead there.', { transport: candidate.kind, error });
      reasons.push(`${candidate.kind}: ${reason}`);
    }
  }
  throw unreachable(reasons.join('; '));
}

async function probe(transport: Transport, outer: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(PROBE_MS[transport.kind]);
  const signal = AbortSignal.any([outer, deadline]);
  const duplex = await transport.connect({ signal });
  const abort = (): void => void duplex.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    duplex.write(REQUEST);
    await readAnswer(duplex);
  } finally {
    signal.removeEventListener('abort', abort);
    duplex.on('error', () => undefined).destroy();
  }
}

async function readAnswer(duplex: Duplex): Promise<void> {
  let answer = '';
  for await (const chunk of duplex) {
    answer += String(chunk);
    if (answer.startsWith(ANSWER)) return;
    if (answer.length >= ANSWER.length) break;
  }
  throw unreachable(`what is there is no gateway (${JSON.stringify(answer.slice(0, ANSWER.length))})`);
}
