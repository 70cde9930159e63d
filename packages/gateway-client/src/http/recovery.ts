import {
  GatewayConnectionLostError,
  GatewayTimeoutError,
  GatewayUnauthorizedError,
  GatewayUnreachableError,
  type Logger,
  OperationAbortedError,
  untilAborted,
  type WorkspaceError,
} from '@agent-workspace/core';
import type { GatewayRequest, StreamRequest } from './request.ts';

export interface RecoverableRequest
  extends Pick<GatewayRequest, 'operation' | 'body' | 'signal'>, Pick<StreamRequest, 'deadline'> {
  /** It changes nothing, so that it may be asked again when its answer got lost. Default `false`. */
  readonly isRepeatable?: boolean | undefined;
  /** A gateway that is gone is not brought back for it. Default `false`. */
  readonly withoutRecovery?: boolean | undefined;
}

export interface RecoveryOptions {
  readonly recover: ((reason: WorkspaceError) => Promise<void>) | undefined;
  readonly logger: Logger;
}

/** Nothing of the request was done. */
function isUndone(error: unknown): boolean {
  return GatewayUnreachableError.isInstance(error) || GatewayUnauthorizedError.isInstance(error);
}

/** Has a gateway brought back that a request did not reach, and asks again what can be asked again. */
export class Recovery {
  readonly #options: RecoveryOptions;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** @throws what `work` or the recovery does; `operation-aborted`, `gateway-timeout` while it waits */
  async attempt<T>(request: RecoverableRequest, work: () => Promise<T>): Promise<T> {
    const { body, isRepeatable, withoutRecovery } = request;
    const { recover, logger } = this.#options;
    // Without a connection nothing has been read of it.
    const isSpent = typeof body === 'object' && !(body instanceof Uint8Array);
    try {
      return await work();
    } catch (error) {
      const isLost = GatewayConnectionLostError.isInstance(error);
      const isSilent = GatewayTimeoutError.isInstance(error);
      if (recover === undefined || withoutRecovery === true || !(isLost || isSilent || isUndone(error))) throw error;
      const recovered = recover(error as WorkspaceError);
      if (isSilent || (isLost && isRepeatable !== true)) {
        // It may have been done, and the time for it is over. The next request finds the gateway back.
        recovered.catch((failure: unknown) => logger.warn('Could not recover the gateway', { error: failure }));
        throw error;
      }
      await this.#await(recovered, request);
      if (isSpent && !GatewayUnreachableError.isInstance(error)) throw error;
      return work();
    }
  }

  /**
   * The recovery is for all and goes on; who does not want to wait for it any more is let go. It has an end of its own,
   * and the time for an answer is not meant for it: a sandbox may take minutes to be made anew.
   */
  async #await(recovered: Promise<void>, { operation, signal, deadline }: RecoverableRequest): Promise<void> {
    const ends = [signal, deadline?.signal].filter((end) => end !== undefined);
    try {
      await untilAborted(recovered, AbortSignal.any(ends));
    } catch (error) {
      throw signal?.aborted === true ? new OperationAbortedError({ operation }, { cause: signal.reason }) : error;
    }
  }
}
