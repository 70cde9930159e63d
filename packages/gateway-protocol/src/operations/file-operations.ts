import {
  type AppendRecordOptions,
  type AppendRecordResult,
  type DirectoryEntry,
  type FileStat,
  type HeldLock,
  lazy,
  type MakeDirectoryOptions,
  type RemoveOptions,
  type StatOptions,
  type WriteFileResult,
} from '@agent-workspace/core';
import { z } from 'zod';
import { whenUsed, type WireSchema } from '../wire-schema.ts';
import type { Operation } from './operation.ts';

type Wire<Options> = Omit<Options, 'signal'> & { readonly path: string };

export interface FileOperations {
  readonly stat: Operation<Wire<StatOptions>, { readonly stat?: FileStat | undefined }>;
  readonly realPath: Operation<{ readonly path: string }, { readonly path: string }>;
  readonly readDirectory: Operation<{ readonly path: string }, { readonly entries: readonly DirectoryEntry[] }>;
  readonly makeDirectory: Operation<Wire<MakeDirectoryOptions>, Record<string, never>>;
  readonly remove: Operation<Wire<RemoveOptions>, Record<string, never>>;
  readonly rename: Operation<
    { readonly from: string; readonly to: string; readonly heldLock?: HeldLock | undefined },
    Record<string, never>
  >;
  readonly appendRecord: Operation<
    Wire<AppendRecordOptions> & { readonly records: readonly string[] },
    AppendRecordResult
  >;
}

export interface FileSchemas {
  readonly stat: WireSchema<FileStat>;
  readonly writeResult: WireSchema<WriteFileResult>;
}

const shapes = lazy(() => {
  const kind = z.enum(['file', 'directory', 'link', 'other']);
  return {
    kind,
    nothing: whenUsed(() => z.object({})),
    lock: z.object({ path: z.string(), nonce: z.string() }).optional(),
    flag: z.boolean().optional(),
    stat: lazy(() =>
      z.object({
        kind,
        sizeBytes: z.number(),
        modifiedMs: z.number(),
        mode: z.number(),
        version: z.string(),
      }),
    ),
  };
});

/** What file routes with raw bytes share with the table. */
export const fileSchemas: () => FileSchemas = lazy(() => {
  const { stat } = shapes();
  return {
    stat: stat(),
    writeResult: whenUsed(() => z.object({ atomic: z.boolean(), isNew: z.boolean(), stat: stat() })),
  };
});

export const fileOperations: () => FileOperations = lazy(() => {
  const { kind, nothing, lock, flag, stat } = shapes();
  const text = z.string();
  return {
    stat: {
      route: '/files/stat',
      input: whenUsed(() => z.object({ path: text, noFollow: flag })),
      output: whenUsed(() => z.object({ stat: stat().optional() })),
      run: async ({ backend }, { path, ...options }, signal) => ({
        stat: await backend.stat(path, { ...options, signal }),
      }),
    },
    realPath: {
      route: '/files/real-path',
      input: whenUsed(() => z.object({ path: text })),
      output: whenUsed(() => z.object({ path: text })),
      run: async ({ backend }, { path }, signal) => ({ path: await backend.realPath(path, { signal }) }),
    },
    readDirectory: {
      route: '/files/list',
      input: whenUsed(() => z.object({ path: text })),
      output: whenUsed(() => z.object({ entries: z.array(z.object({ name: text, kind })) })),
      run: async ({ backend }, { path }, signal) => ({ entries: await backend.readDirectory(path, { signal }) }),
    },
    makeDirectory: {
      route: '/files/make-directory',
      input: whenUsed(() => z.object({ path: text, recursive: flag, mode: z.number().optional() })),
      output: nothing,
      run: async ({ backend }, { path, ...options }, signal) => {
        await backend.makeDirectory(path, { ...options, signal });
        return {};
      },
    },
    remove: {
      route: '/files/remove',
      input: whenUsed(() => z.object({ path: text, recursive: flag, mustExist: flag, heldLock: lock })),
      output: nothing,
      run: async ({ backend }, { path, ...options }, signal) => {
        await backend.remove(path, { ...options, signal });
        return {};
      },
    },
    rename: {
      route: '/files/rename',
      input: whenUsed(() => z.object({ from: text, to: text, heldLock: lock })),
      output: nothing,
      run: async ({ backend }, { from, to, heldLock }, signal) => {
        await backend.rename(from, to, { heldLock, signal });
        return {};
      },
    },
    appendRecord: {
      route: '/files/append',
      input: whenUsed(() =>
        z.object({ path: text, records: z.array(text), skipExisting: flag, sync: flag, heldLock: lock }),
      ),
      output: whenUsed(() => z.object({ appended: z.number(), closedTornLine: z.boolean(), sizeBytes: z.number() })),
      run: ({ backend }, { path, records, ...options }, signal) =>
        backend.appendRecord(path, records, { ...options, signal }),
    },
  };
});
