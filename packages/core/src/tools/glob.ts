import { posix } from 'node:path';
import { z } from 'zod';
import { lazy } from '../lazy.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin } from './define-builtin.ts';
import { placePattern } from './place-pattern.ts';
import { DEFAULT_HEAD_LIMIT, entryLimit, searchResult } from './search-result.ts';
import type { Tool } from './tool.ts';

const parameters = lazy(() =>
  z.object({
    pattern: z.string().min(1).describe('Such as **/*.ts or src/{a,b}/*.json; *, ?, [abc] and {a,b} are special.'),
    path: z.string().min(1).optional().describe("Directory to search, taken literally. Default: the workspace's."),
    head_limit: z
      .int()
      .min(0)
      .optional()
      .describe(`Paths to show. Default ${DEFAULT_HEAD_LIMIT}; 0 for as many as fit.`),
    offset: z.int().min(0).optional().describe('Paths to pass over first. Default 0.'),
  }),
);

const description = `Finds files by the pattern of their paths.

- Gives absolute paths of files, one a line, sorted. Files that .gitignore names are left out.
- A result that was cut has the exact call for what comes next, and one that could not reach everything says so.`;

async function findFiles(
  { backend, paths }: BuiltinContext,
  input: z.output<ReturnType<typeof parameters>>,
  { signal }: BuiltinCall,
): Promise<BuiltinOutcome> {
  const placed = placePattern(input.pattern);
  const { path: base } = await paths.readable(input.path ?? '.', { signal });
  const { path } =
    placed.directory === undefined
      ? { path: base }
      : await paths.readable(posix.resolve(base, placed.directory), { signal });
  const found = await backend.glob({
    pattern: placed.pattern,
    path,
    limit: entryLimit(input.head_limit),
    offset: input.offset,
    signal,
  });
  return searchResult({
    tool: 'Glob',
    input,
    entries: found.paths,
    outcome: found,
    nothing: `No files in ${path} match ${placed.pattern}`,
  });
}

/** The tool that finds files by path. */
export function globTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Glob',
      description,
      parameters: parameters(),
      annotations: { title: 'Find files', readOnlyHint: true, openWorldHint: false },
      isReadOnly: true,
      isConcurrencySafe: true,
      isSelfPaging: true,
      run: (input, call) => findFiles(context, input, call),
    },
    context,
  );
}
