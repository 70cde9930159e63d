import { ReadStream } from 'node:tty';
import { type ProcessExit, signalName } from './exit-status.ts';
import { loadNativePty } from './native-pty.ts';
import type { Spawned, SpawnOptions } from './spawned.ts';
import type { TerminalSize } from './requests.ts';
import { writeAll } from './write-all.ts';

const MAX_CHUNK_BYTES = 16 * 1024;
/** The kernel hangs the terminal up when its leader exits; what was written before has been read by then. */
const DRAIN_MS = 200;

export interface SpawnTerminalOptions extends SpawnOptions {
  readonly size: TerminalSize;
}

/** Starts a command in a terminal of its own. Throws where that cannot be had. */
export function spawnTerminal({ file, args, cwd, env, uid, gid, size }: SpawnTerminalOptions): Spawned {
  const native = loadNativePty();
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const owner = [uid ?? -1, gid ?? -1] as const;
  let onExit: (exit: ProcessExit) => void = () => undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    onExit = resolve;
  });
  const { fd, pid } = native.fork(
    file,
    args,
    variables,
    cwd,
    size.cols,
    size.rows,
    ...owner,
    true,
    '',
    (code, signal) => onExit(signal === 0 ? { code, signal: null } : { code: null, signal: signalName(signal) }),
  );
  const stream = new ReadStream(fd);
  // Reading fails once nobody has the other side: the end of a terminal.
  stream.on('error', () => stream.destroy());
  let isOpen = true;
  stream.once('close', () => {
    isOpen = false;
  });
  return {
    pid,
    exited,
    drainMs: DRAIN_MS,
    outputs: [{ name: 'pty', stream, maxChunkBytes: MAX_CHUNK_BYTES }],
    input: {
      kind: 'pty',
      write: (bytes) => writeAll(stream, bytes),
      resize: ({ cols, rows }) => {
        if (!isOpen) throw new Error('file already closed');
        native.resize(fd, cols, rows);
      },
    },
    release: () => void stream.destroy(),
  };
}
