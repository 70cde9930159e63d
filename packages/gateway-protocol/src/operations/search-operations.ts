import { type GlobOptions, type GlobResult, type GrepOptions, type GrepResult, lazy } from '@agent-workspace/core';
import { z } from 'zod';
import { whenUsed } from '../wire-schema.ts';
import type { Operation } from './operation.ts';

export interface SearchOperations {
  readonly glob: Operation<Omit<GlobOptions, 'signal'>, GlobResult>;
  readonly grep: Operation<Omit<GrepOptions, 'signal'>, GrepResult>;
}

export const searchOperations: () => SearchOperations = lazy(() => {
  const text = z.string().optional();
  const flag = z.boolean().optional();
  const count = z.number().optional();
  const search = {
    path: text,
    limit: count,
    offset: count,
    includeIgnored: flag,
    timeoutMs: count,
  };
  const outcome = { isTruncated: z.boolean(), isIncomplete: z.boolean(), problems: z.array(z.string()) };
  const paths = z.array(z.string());
  const line = lazy(() =>
    z.object({
      path: z.string(),
      line: z.number(),
      text: z.string(),
      isContext: z.boolean(),
      isCut: z.boolean(),
    }),
  );
  return {
    glob: {
      route: '/glob',
      input: whenUsed(() => z.object({ ...search, pattern: z.string() })),
      output: whenUsed(() => z.object({ ...outcome, paths })),
      run: ({ backend }, options, signal) => backend.glob({ ...options, signal }),
    },
    grep: {
      route: '/grep',
      input: whenUsed(() =>
        z.object({
          ...search,
          pattern: z.string(),
          mode: z.enum(['lines', 'files', 'counts']),
          glob: text,
          type: text,
          ignoreCase: flag,
          multiline: flag,
          linesBefore: count,
          linesAfter: count,
          maxLineBytes: count,
        }),
      ),
      output: whenUsed(() =>
        z.discriminatedUnion('mode', [
          z.object({ ...outcome, mode: z.literal('lines'), lines: z.array(line()) }),
          z.object({ ...outcome, mode: z.literal('files'), paths }),
          z.object({
            ...outcome,
            mode: z.literal('counts'),
            counts: z.array(z.object({ path: z.string(), count: z.number() })),
          }),
        ]),
      ),
      run: ({ backend }, options, signal) => backend.grep({ ...options, signal }),
    },
  };
});
