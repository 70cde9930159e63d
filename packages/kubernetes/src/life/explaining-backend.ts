import {
  aroundBackend,
  type Backend,
  GatewayConnectionLostError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  type Logger,
  WorkspaceError,
} from '@agent-workspace/core';

export interface ExplainingOptions {
  /** The Pod that a call goes to. */
  readonly podUid: () => string | undefined;
  /** Why what ran in a Pod has ended, where that is known. */
  readonly whyLost: (uid: string | undefined) => Promise<string | undefined>;
  readonly logger: Logger;
}

/** Has the error of a call that was cut say what became of the Pod. */
export function explainingBackend(backend: Backend, { podUid, whyLost, logger }: ExplainingOptions): Backend {
  async function explain(error: WorkspaceError, uid: string | undefined): Promise<WorkspaceError> {
    const isUnreachable = GatewayUnreachableError.isInstance(error);
    const isLost = GatewayConnectionLostError.isInstance(error) || GatewayTimeoutError.isInstance(error);
    if (!isLost && !isUnreachable) return error;
    try {
      const why = await whyLost(uid);
      if (why === undefined) return error;
      const { operation } = error.details;
      return isUnreachable
        ? new GatewayUnreachableError({ operation, reason: `${error.details.reason}; ${why}` }, { cause: error })
        : new GatewayConnectionLostError({ operation, reason: why }, { cause: error });
    } catch (failure) {
      logger.debug('What became of a Pod is not known.', { error: failure });
      return error;
    }
  }

  async function use<T>(work: () => Promise<T>): Promise<T> {
    const uid = podUid();
    try {
      return await work();
    } catch (error) {
      throw WorkspaceError.isInstance(error) ? await explain(error, uid) : error;
    }
  }

  return aroundBackend(backend, use);
}
