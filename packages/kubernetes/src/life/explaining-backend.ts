import {
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

  return {
    kind: backend.kind,
    workdir: backend.workdir,
    roots: backend.roots,
    capabilities: backend.capabilities,
    lockOwner: backend.lockOwner,
    exec: (...parameters) => use(() => backend.exec(...parameters)),
    spawn: (...parameters) => use(() => backend.spawn(...parameters)),
    startBackground: (...parameters) => use(() => backend.startBackground(...parameters)),
    listBackground: (...parameters) => use(() => backend.listBackground(...parameters)),
    readFile: (...parameters) => use(() => backend.readFile(...parameters)),
    openRead: (...parameters) => use(() => backend.openRead(...parameters)),
    writeFile: (...parameters) => use(() => backend.writeFile(...parameters)),
    writeStream: (...parameters) => use(() => backend.writeStream(...parameters)),
    appendRecord: (...parameters) => use(() => backend.appendRecord(...parameters)),
    stat: (...parameters) => use(() => backend.stat(...parameters)),
    realPath: (...parameters) => use(() => backend.realPath(...parameters)),
    readDirectory: (...parameters) => use(() => backend.readDirectory(...parameters)),
    makeDirectory: (...parameters) => use(() => backend.makeDirectory(...parameters)),
    remove: (...parameters) => use(() => backend.remove(...parameters)),
    rename: (...parameters) => use(() => backend.rename(...parameters)),
    writeTree: (...parameters) => use(() => backend.writeTree(...parameters)),
    readTree: (...parameters) => use(() => backend.readTree(...parameters)),
    copyTree: (...parameters) => use(() => backend.copyTree(...parameters)),
    hashTree: (...parameters) => use(() => backend.hashTree(...parameters)),
    glob: (...parameters) => use(() => backend.glob(...parameters)),
    grep: (...parameters) => use(() => backend.grep(...parameters)),
    endProcesses: () => use(() => backend.endProcesses()),
    close: () => backend.close(),
  };
}
