import type { Backend } from './backend.ts';

/**
 * A backend whose calls all go through `around`, but for `close()`, which ends them.
 *
 * @param around does the work that it is given, once, and gives what came of it
 */
export function aroundBackend(backend: Backend, around: <T>(work: () => Promise<T>) => Promise<T>): Backend {
  return {
    kind: backend.kind,
    workdir: backend.workdir,
    roots: backend.roots,
    capabilities: backend.capabilities,
    lockOwner: backend.lockOwner,
    exec: (...parameters) => around(() => backend.exec(...parameters)),
    spawn: (...parameters) => around(() => backend.spawn(...parameters)),
    startBackground: (...parameters) => around(() => backend.startBackground(...parameters)),
    listBackground: (...parameters) => around(() => backend.listBackground(...parameters)),
    readFile: (...parameters) => around(() => backend.readFile(...parameters)),
    openRead: (...parameters) => around(() => backend.openRead(...parameters)),
    writeFile: (...parameters) => around(() => backend.writeFile(...parameters)),
    writeStream: (...parameters) => around(() => backend.writeStream(...parameters)),
    appendRecord: (...parameters) => around(() => backend.appendRecord(...parameters)),
    stat: (...parameters) => around(() => backend.stat(...parameters)),
    realPath: (...parameters) => around(() => backend.realPath(...parameters)),
    readDirectory: (...parameters) => around(() => backend.readDirectory(...parameters)),
    makeDirectory: (...parameters) => around(() => backend.makeDirectory(...parameters)),
    remove: (...parameters) => around(() => backend.remove(...parameters)),
    rename: (...parameters) => around(() => backend.rename(...parameters)),
    writeTree: (...parameters) => around(() => backend.writeTree(...parameters)),
    readTree: (...parameters) => around(() => backend.readTree(...parameters)),
    copyTree: (...parameters) => around(() => backend.copyTree(...parameters)),
    hashTree: (...parameters) => around(() => backend.hashTree(...parameters)),
    glob: (...parameters) => around(() => backend.glob(...parameters)),
    grep: (...parameters) => around(() => backend.grep(...parameters)),
    endProcesses: () => around(() => backend.endProcesses()),
    close: () => backend.close(),
  };
}
