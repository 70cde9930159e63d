import { type CopyTreeOptions, type HashTreeOptions, lazy } from '@agent-workspace/core';
import { z } from 'zod';
import { whenUsed } from '../wire-schema.ts';
import type { Operation } from './operation.ts';

export interface TreeOperations {
  readonly copyTree: Operation<
    Omit<CopyTreeOptions, 'signal'> & { readonly from: string; readonly to: string },
    Record<string, never>
  >;
  readonly hashTree: Operation<
    Omit<HashTreeOptions, 'signal'> & { readonly directory: string },
    { readonly hash: string }
  >;
}

export const treeOperations: () => TreeOperations = lazy(() => {
  const ignoreNames = z.array(z.string()).optional();
  const flag = z.boolean().optional();
  return {
    copyTree: {
      route: '/trees/copy',
      input: whenUsed(() =>
        z.object({
          from: z.string(),
          to: z.string(),
          replace: flag,
          sync: flag,
          ignoreNames,
          heldLock: z.object({ path: z.string(), nonce: z.string() }).optional(),
        }),
      ),
      output: whenUsed(() => z.object({})),
      run: async ({ backend }, { from, to, ...options }, signal) => {
        await backend.copyTree(from, to, { ...options, signal });
        return {};
      },
    },
    hashTree: {
      route: '/trees/hash',
      input: whenUsed(() => z.object({ directory: z.string(), ignoreNames })),
      output: whenUsed(() => z.object({ hash: z.string() })),
      run: async ({ backend }, { directory, ...options }, signal) => ({
        hash: await backend.hashTree(directory, { ...options, signal }),
      }),
    },
  };
});
