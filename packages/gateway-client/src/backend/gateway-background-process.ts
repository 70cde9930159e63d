import { type BackgroundProcess, type BackgroundState, OperationAbortedError } from '@agent-workspace/core';
import {
  backgroundReference,
  type BackgroundRecord,
  type BackgroundReference,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import { waitMsWithin } from '../http/deadlines.ts';

/** A background command of a gateway. */
export class GatewayBackgroundProcess implements BackgroundProcess {
  readonly number: number;
  readonly label: string;
  readonly pid: number;
  readonly processGroup: number;
  readonly startedAt: string;
  readonly owner: string | undefined;
  readonly logPath: string;
  readonly statusPath: string;
  readonly #client: GatewayClient;
  readonly #reference: BackgroundReference;

  constructor(client: GatewayClient, record: BackgroundRecord) {
    this.#client = client;
    this.#reference = backgroundReference(record);
    this.number = record.number;
    this.label = record.label;
    this.pid = record.pid;
    this.processGroup = record.processGroup;
    this.startedAt = record.startedAt;
    this.owner = record.owner;
    this.logPath = record.logPath;
    this.statusPath = record.statusPath;
  }

  async state(): Promise<BackgroundState> {
    const { state } = await this.#client.operation('backgroundState', this.#reference, { isRepeatable: true });
    return state;
  }

  async stop({ reason }: { readonly reason?: 'closed' | undefined } = {}): Promise<BackgroundState> {
    const { state } = await this.#client.operation('stopBackground', { ...this.#reference, reason });
    return state;
  }

  async wait({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<BackgroundState> {
    const input = { ...this.#reference, waitMs: waitMsWithin(this.#client.deadlines) };
    for (;;) {
      signal?.throwIfAborted();
      try {
        const { state } = await this.#client.operation('waitBackground', input, {
          signal,
          isRepeatable: true,
          lasts: true,
        });
        if (state.kind !== 'running') return state;
      } catch (error) {
        if (OperationAbortedError.isInstance(error)) signal?.throwIfAborted();
        throw error;
      }
    }
  }
}
