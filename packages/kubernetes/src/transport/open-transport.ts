import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@agent-workspace/core';
import type { PodReference } from '../exec/exec-stream.ts';
import { readPod } from '../pod/follow-pod.ts';
import { chooseTransport } from './choose-transport.ts';
import { ExecTransport } from './exec-transport.ts';
import { PodIpTransport } from './pod-ip-transport.ts';
import { PortForwardTransport } from './port-forward-transport.ts';
import type { Transport, TransportKind } from './transport.ts';

export interface OpenTransportOptions {
  /** The one that is wished, in the place of what a probe chooses. */
  readonly asked: TransportKind | undefined;
  /** On which the gateway listens. */
  readonly port: number;
  /** The Pod's, where it is known. */
  readonly address: string | undefined;
  /** The gateway runs, so that it can be asked. */
  readonly isUp: boolean;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

const LOOK_MS = 50;

/** Where the gateway listens: a forwarded port leads to the Pod's own loopback; its address is on a network, of IPv4 or of IPv6. */
export function listenHost(transport: TransportKind | undefined): string {
  return transport === 'port-forward' ? '127.0.0.1' : '::';
}

/** The way to the gateway of a Pod that runs. @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason */
export async function openTransport(
  pod: PodReference,
  { asked, port, address, isUp, signal, logger }: OpenTransportOptions,
): Promise<Transport> {
  const forward = new PortForwardTransport({ pod, port });
  const exec = new ExecTransport({ pod, port });
  if (asked === 'port-forward') return forward;
  if (asked === 'exec') return exec;
  const direct = new PodIpTransport({ host: address ?? (await addressOf(pod, signal)), port });
  if (asked === 'pod-ip') return direct;
  return isUp ? await chooseTransport([direct, forward, exec], { signal, logger }) : exec;
}

async function addressOf({ connection, name }: PodReference, signal: AbortSignal): Promise<string> {
  for (;;) {
    const address = (await readPod(connection, name, { signal }))?.status?.podIP;
    if (address !== undefined) return address;
    await setTimeout(LOOK_MS, undefined, { signal });
  }
}
