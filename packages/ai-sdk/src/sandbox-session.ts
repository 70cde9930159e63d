import { posix } from 'node:path';
import {
  type Backend,
  EncodingUnsupportedError,
  FileNotFoundError,
  findShell,
  Layout,
  NotAFileError,
  PathProtectedError,
  ToolPaths,
  type WorkspaceSession,
} from '@agent-workspace/core';
import type { Experimental_SandboxSession as SandboxSession } from 'ai';
import { extractLines } from './extract-lines.ts';
import { exitCodeOf, toSandboxProcess } from './sandbox-process.ts';
import { capturedText } from './captured-text.ts';

/** Of each stream. `run` gives everything at once, so that there has to be an end. */
const MAX_RUN_OUTPUT_BYTES = 10 * 1024 * 1024;

/** What the workspace keeps for itself, by the names of links that could stand in for it. */
const PROTECTED_NAMES = new Set(['.mcp', '.workspace', '.skills', '.index']);

/**
 * A session as the AI SDK's `experimental_sandbox`, for tools of others that ask for one. It keeps
 * the rules of the workspace's own tools: on the local backend files stay inside the roots, and
 * nowhere is what the workspace keeps for itself written to.
 */
export function toSandboxSession(session: WorkspaceSession): SandboxSession {
  const { backend, workdir } = session;
  const paths = new ToolPaths(backend, new Layout(workdir));
  const readable = async ({ path, abortSignal }: Target): Promise<string> =>
    (await paths.readable(path, { signal: abortSignal })).path;
  const writable = async ({ path, abortSignal }: Target): Promise<string> =>
    (await paths.writable(path, { signal: abortSignal })).path;
  const readBytes = async (target: Target): Promise<Uint8Array | null> =>
    await orNull(async () => {
      const { bytes } = await backend.readFile(await readable(target), signalOf(target));
      // A Buffer is one, too, but one whose slice() is a view.
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    });

  const spawn = async (options: SpawnOptions): Promise<StartedProcess> => {
    const { command, workingDirectory = '.', env, abortSignal, stdin = false } = options;
    abortSignal?.throwIfAborted();
    const cwd = posix.resolve(workdir, workingDirectory);
    const argv = [await findShell(backend), '-c', command];
    const started = await backend.spawn(argv, { cwd, env, signal: abortSignal });
    const hold = session.hold();
    const release = (): void => hold[Symbol.dispose]();
    started.end.then(release, release);
    return toSandboxProcess(started, { hasStdin: stdin, abortSignal });
  };

  return {
    description:
      `A ${backend.kind} workspace. Commands run in a shell, in ${workdir}, and relative paths are taken from there. ` +
      'Its files are those of the workspace tools.',
    readFile: async (target) =>
      await orNull(async () => await backend.openRead(await readable(target), signalOf(target))),
    readBinaryFile: readBytes,
    readTextFile: async ({ encoding = 'utf-8', startLine, endLine, ...target }) => {
      const bytes = await readBytes(target);
      return bytes === null ? null : extractLines(decode(bytes, encoding, target.path), { startLine, endLine });
    },
    writeFile: async ({ content, ...target }) => {
      await backend.writeStream(await writable(target), content, signalOf(target));
    },
    writeBinaryFile: async ({ content, ...target }) => {
      await backend.writeFile(await writable(target), content, signalOf(target));
    },
    writeTextFile: async ({ content, encoding = 'utf-8', ...target }) => {
      const bytes = encode(content, encoding, target.path);
      await backend.writeFile(await writable(target), bytes, signalOf(target));
    },
    stat: async (target) => {
      const found = await backend.stat(await readable(target), signalOf(target));
      if (found === undefined) return null;
      const type = found.kind === 'file' || found.kind === 'directory' ? found.kind : 'other';
      return { type, size: found.sizeBytes };
    },
    listDirectory: async (target) =>
      await orNull(async () => {
        const entries = await backend.readDirectory(await readable(target), signalOf(target));
        return entries.map(({ name, kind }) => ({ name, type: kind === 'link' ? 'symlink' : kind }));
      }),
    deleteFile: async (target) => await deleteFile(backend, paths, target),
    // One function for the three signatures: a process without stdin merely has no such property.
    spawn: spawn as SandboxSession['spawn'],
    run: async ({ command, workingDirectory = '.', env, abortSignal }) => {
      abortSignal?.throwIfAborted();
      using _hold = session.hold();
      const cwd = posix.resolve(workdir, workingDirectory);
      const result = await backend.exec([await findShell(backend), '-c', command], {
        cwd,
        env,
        signal: abortSignal,
        maxOutputBytes: MAX_RUN_OUTPUT_BYTES,
      });
      if (result.end.kind === 'aborted') abortSignal?.throwIfAborted();
      const { stdout, stderr, end } = result;
      return { exitCode: exitCodeOf(end), stdout: capturedText(stdout), stderr: capturedText(stderr) };
    },
  };
}

interface Target {
  readonly path: string;
  readonly abortSignal?: AbortSignal | undefined;
}

type SpawnOptions = Parameters<SandboxSession['spawn']>[0] & { readonly stdin?: boolean | undefined };
type StartedProcess = ReturnType<typeof toSandboxProcess>;

function signalOf({ abortSignal }: Target): { readonly signal: AbortSignal | undefined } {
  return { signal: abortSignal };
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (FileNotFoundError.isInstance(error)) return null;
    throw error;
  }
}

/** A link is deleted itself, so that it is its own place that counts and not where it leads. */
async function deleteFile(backend: Backend, paths: ToolPaths, target: Target): Promise<boolean> {
  const { path } = target;
  const options = signalOf(target);
  const parent = await paths.writable(posix.dirname(path), options);
  const place = posix.join(parent.path, posix.basename(path));
  const found = await backend.stat(place, { ...options, noFollow: true });
  if (found === undefined) return false;
  if (found.kind === 'directory') throw new NotAFileError({ path, kind: 'directory' });
  if (found.kind !== 'link') await paths.writable(place, options);
  else if (PROTECTED_NAMES.has(posix.basename(path).toLowerCase())) throw new PathProtectedError({ path });
  await backend.remove(place, options);
  return true;
}

function decode(bytes: Uint8Array, encoding: string, path: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch (cause) {
    throw new EncodingUnsupportedError({ path, reason: `no encoding is called ${encoding}` }, { cause });
  }
}

function encode(content: string, encoding: string, path: string): Uint8Array {
  if (!Buffer.isEncoding(encoding)) {
    throw new EncodingUnsupportedError({ path, reason: `nothing can be written as ${encoding}` });
  }
  return Buffer.from(content, encoding);
}
