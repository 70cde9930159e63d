import {
  type FileStat,
  lazy,
  type OpenReadOptions,
  type ReadFileOptions,
  type ReadTreeOptions,
  type WriteFileOptions,
  type WriteTreeOptions,
} from '@agent-workspace/core';
import { z } from 'zod';
import { fileSchemas } from './operations/file-operations.ts';
import { whenUsed, type WireSchema } from './wire-schema.ts';

/*
 * The routes of files and trees with raw bytes.
 *
 *   POST /files/read   ReadFileRequest → one frame, `{stat}` with the content
 *   POST /files/open   OpenReadRequest → the content as a raw body; its connection breaks on an error
 *   POST /files/write  frames → WriteFileResult. The first is WriteRequest; the raw bytes of it and of
 *                      those that follow, headers `{}`, are the content; the last one has `end: true`.
 *                      Without that one nothing is written.
 *   POST /trees/read   ReadTreeRequest → frames, TreeEntryHeader with the bytes of files, then `{kind: 'end'}`
 *   POST /trees/write  frames → `{}`. The first is WriteTreeRequest, then as /trees/read answers
 */

export type ReadFileRequest = Omit<ReadFileOptions, 'signal'> & { readonly path: string };
export type OpenReadRequest = Omit<OpenReadOptions, 'signal'> & { readonly path: string };
export type WriteRequest = Omit<WriteFileOptions, 'signal'> & {
  readonly path: string;
  readonly end?: boolean | undefined;
};
export type ReadTreeRequest = Omit<ReadTreeOptions, 'signal'> & { readonly directory: string };
export type WriteTreeRequest = Omit<WriteTreeOptions, 'signal'> & { readonly directory: string };

/** An entry of a tree without its bytes, or that there are no more. */
export type TreeEntryHeader =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode?: number | undefined;
      readonly stat?: FileStat | undefined;
    }
  | { readonly kind: 'directory'; readonly path: string; readonly mode?: number | undefined }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'end' };

export interface ContentSchemas {
  readonly readFile: WireSchema<ReadFileRequest>;
  readonly readFileHeader: WireSchema<{ readonly stat: FileStat }>;
  readonly openRead: WireSchema<OpenReadRequest>;
  readonly write: WireSchema<WriteRequest>;
  /** Header of the frames after the first one. */
  readonly more: WireSchema<{ readonly end?: boolean | undefined }>;
  readonly readTree: WireSchema<ReadTreeRequest>;
  readonly writeTree: WireSchema<WriteTreeRequest>;
  readonly treeEntry: WireSchema<TreeEntryHeader>;
}

export const contentSchemas: () => ContentSchemas = lazy(() => {
  const stat = (): z.ZodType<FileStat> => fileSchemas().stat as z.ZodType<FileStat>;
  const flag = z.boolean().optional();
  const count = z.number().min(0).optional();
  const names = z.array(z.string()).optional();
  const mode = z.number().optional();
  const heldLock = z.object({ path: z.string(), nonce: z.string() }).optional();
  const range = { path: z.string(), offset: count, length: count, noFollow: flag };
  return {
    readFile: whenUsed(() => z.object({ ...range, maxBytes: count })),
    readFileHeader: whenUsed(() => z.object({ stat: stat() })),
    openRead: whenUsed(() => z.object(range)),
    write: whenUsed(() =>
      z.object({
        path: z.string(),
        isExclusive: flag,
        mode,
        makeParents: flag,
        ifMatches: z.string().optional(),
        sync: flag,
        noFollow: flag,
        heldLock,
        end: flag,
      }),
    ),
    more: whenUsed(() => z.object({ end: flag })),
    readTree: whenUsed(() =>
      z.object({
        directory: z.string(),
        names,
        maxDepth: count,
        maxFileBytes: count,
        maxEntries: count,
        maxTotalBytes: count,
        ignoreNames: names,
      }),
    ),
    writeTree: whenUsed(() => z.object({ directory: z.string(), replace: flag, sync: flag, heldLock })),
    treeEntry: whenUsed(() =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('file'), path: z.string(), mode, stat: stat().optional() }),
        z.object({ kind: z.literal('directory'), path: z.string(), mode }),
        z.object({ kind: z.literal('link'), path: z.string(), target: z.string() }),
        z.object({ kind: z.literal('end') }),
      ]),
    ),
  };
});
