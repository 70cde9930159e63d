import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type koffi from 'koffi';

/** What envd needs of Linux and Node does not offer. */
export interface Libc {
  readonly inotifyInit: () => number;
  readonly inotifyAddWatch: (descriptor: number, path: string, mask: number) => number;
  readonly inotifyRemoveWatch: (descriptor: number, watch: number) => void;
  /** Names of the extended attributes of the file that the path leads to. */
  readonly listAttributes: (path: string) => readonly string[];
  readonly getAttribute: (path: string, name: string) => string;
  readonly setAttribute: (path: string, name: string, value: string) => void;
  readonly removeAttribute: (path: string, name: string) => void;
}

const INOTIFY_CLOSE_ON_EXEC = 0o2000000;
/** All names of a file, or one value, fit in it: the kernel's own limit. */
const ATTRIBUTES_BYTES = 65_536;

/** Without packages, the native part lies beside the program; among sources it is in its package. */
function nativeLibrary(): string {
  const platform = `${process.platform}-${process.arch}`;
  const besideTheProgram = join(import.meta.dirname, 'koffi', platform, 'koffi.node');
  if (existsSync(besideTheProgram)) return besideTheProgram;
  const require = createRequire(import.meta.url);
  return require.resolve(`@koromix/koffi-${platform}/${platform.replace('-', '_')}/koffi.node`);
}

function loadFunctions(): Libc {
  const nativeModule: { exports: typeof koffi } = { exports: {} as typeof koffi };
  process.dlopen(nativeModule, nativeLibrary());
  const native = nativeModule.exports;
  const library = native.load(null);

  /** The result, where it is not the -1 that tells of an error. */
  const checked = (call: string, result: unknown): number => {
    const value = Number(result);
    if (value >= 0) return value;
    const errno = -native.errno();
    const [code = 'UNKNOWN', text = 'unknown error'] = getSystemErrorMap().get(errno) ?? [];
    throw Object.assign(new Error(`${call}: ${text}`), { code, errno, syscall: call });
  };
  const init = library.func('int inotify_init1(int)');
  const addWatch = library.func('int inotify_add_watch(int, str, uint32)');
  const removeWatch = library.func('int inotify_rm_watch(int, int)');
  const list = library.func('int64 listxattr(str, _Out_ void*, size_t)');
  const get = library.func('int64 getxattr(str, str, _Out_ void*, size_t)');
  const set = library.func('int setxattr(str, str, const void*, size_t, int)');
  const remove = library.func('int removexattr(str, str)');
  const buffer = Buffer.alloc(ATTRIBUTES_BYTES);
  return {
    inotifyInit: () => checked('inotify_init1', init(INOTIFY_CLOSE_ON_EXEC)),
    inotifyAddWatch: (descriptor, path, mask) => checked('inotify_add_watch', addWatch(descriptor, path, mask)),
    // A watch that the kernel has already let go of is no longer there to be removed.
    inotifyRemoveWatch: (descriptor, watch) => void removeWatch(descriptor, watch),
    listAttributes: (path) => {
      const length = checked('listxattr', list(path, buffer, buffer.length));
      return buffer
        .toString('utf8', 0, length)
        .split('\0')
        .filter((name) => name !== '');
    },
    getAttribute: (path, name) =>
      buffer.toString('utf8', 0, checked('getxattr', get(path, name, buffer, buffer.length))),
    setAttribute: (path, name, value) => {
      const bytes = Buffer.from(value);
      checked('setxattr', set(path, name, bytes, bytes.length, 0));
    },
    removeAttribute: (path, name) => void checked('removexattr', remove(path, name)),
  };
}

let functions: Libc | undefined;

/** Of Linux; elsewhere there is neither inotify nor the same set of attributes, and it is `undefined`. */
export function loadLibc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined;
  return (functions ??= loadFunctions());
}
