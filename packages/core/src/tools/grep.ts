import { z } from 'zod';
import type { GrepOptions, GrepResult } from '../backend/search.ts';
import { PatternInvalidError } from '../errors/pattern-invalid-error.ts';
import { lazy } from '../lazy.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin } from './define-builtin.ts';
import { grepLineTexts } from './grep-lines.ts';
import { DEFAULT_HEAD_LIMIT, entryLimit, searchResult } from './search-result.ts';
import type { Tool } from './tool.ts';

const parameters = lazy(() => {
  const lineCount = z.int().min(0).max(1_000).optional();
  return z.object({
    pattern: z.string().min(1).describe('Regular expression in the syntax of ripgrep.'),
    path: z.string().min(1).optional().describe("File or directory to search. Default: the workspace's directory."),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('Matching lines, paths of files with matches (the default), or matches per file.'),
    glob: z.string().min(1).optional().describe('Only files that match this, such as *.{ts,tsx}, relative to path.'),
    type: z.string().min(1).optional().describe('Only files of this type of ripgrep: ts, py, rust, …'),
    '-A': lineCount.describe('Lines to show after each match; for content.'),
    '-B': lineCount.describe('Lines to show before each match; for content.'),
    '-C': lineCount.describe('Lines to show before and after each match; for content.'),
    context: lineCount.describe('The same as -C.'),
    n: z.boolean().optional().describe('Show line numbers; for content. Default true.'),
    i: z.boolean().optional().describe('Ignore case. Default false.'),
    case_insensitive: z.boolean().optional().describe('The same as i.'),
    multiline: z.boolean().optional().describe('Let matches go over line ends. Default false.'),
    head_limit: z
      .int()
      .min(0)
      .optional()
      .describe(`Lines or files to show. Default ${DEFAULT_HEAD_LIMIT}; 0 for as many as fit.`),
    offset: z.int().min(0).optional().describe('Lines or files to pass over first. Default 0.'),
  });
});

type GrepInput = z.output<ReturnType<typeof parameters>>;

const description = `Searches the contents of files with ripgrep.

- Binary files, and files that .gitignore names, are left out.
- Content is shown as path:line:text, lines around it as path-line-text, with -- between groups. Long lines are cut around the match.
- A result that was cut has the exact call for what comes next, and one that could not reach everything says so.`;

const modes = { content: 'lines', files_with_matches: 'files', count: 'counts' } as const;

function backendOptions(input: GrepInput, path: string): GrepOptions {
  const around = input['-C'] ?? input.context;
  return {
    pattern: input.pattern,
    path,
    mode: modes[input.output_mode ?? 'files_with_matches'],
    glob: input.glob === undefined ? undefined : relativeGlob(input.glob, path),
    type: input.type,
    ignoreCase: input.i ?? input.case_insensitive,
    multiline: input.multiline,
    linesBefore: input['-B'] ?? around,
    linesAfter: input['-A'] ?? around,
    limit: entryLimit(input.head_limit),
    offset: input.offset,
  };
}

/** To ripgrep a leading slash is the searched directory, so that an absolute pattern would match nothing. */
function relativeGlob(glob: string, path: string): string {
  if (!glob.startsWith('/')) return glob;
  const start = path.endsWith('/') ? path : `${path}/`;
  if (glob.startsWith(start)) return `/${glob.slice(start.length)}`;
  throw new PatternInvalidError({ pattern: glob, reason: `glob is relative to ${path}; leave the leading slash out.` });
}

function entries(result: GrepResult, input: GrepInput): readonly string[] {
  if (result.mode === 'files') return result.paths;
  if (result.mode === 'counts') return result.counts.map(({ path, count }) => `${path}:${count}`);
  const around = input['-A'] ?? input['-B'] ?? input['-C'] ?? input.context ?? 0;
  return grepLineTexts(result.lines, { hasNumbers: input.n ?? true, hasContext: around > 0 });
}

async function searchFiles(
  { backend, paths }: BuiltinContext,
  input: GrepInput,
  { signal }: BuiltinCall,
): Promise<BuiltinOutcome> {
  const { path } = await paths.readable(input.path ?? '.', { signal });
  const found = await backend.grep({ ...backendOptions(input, path), signal });
  return searchResult({
    tool: 'Grep',
    input,
    entries: entries(found, input),
    outcome: found,
    nothing: `No matches for ${input.pattern} in ${path}`,
  });
}

/** The tool that searches in files. */
export function grepTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Grep',
      description,
      parameters: parameters(),
      aliases: { '-i': 'i', '-n': 'n', A: '-A', B: '-B', C: '-C' },
      annotations: { title: 'Search in files', readOnlyHint: true, openWorldHint: false },
      isReadOnly: true,
      isConcurrencySafe: true,
      isSelfPaging: true,
      run: (input, call) => searchFiles(context, input, call),
    },
    context,
  );
}
