import { z } from 'zod';
import { FileChangedError } from '../errors/file-changed-error.ts';
import { lazy } from '../lazy.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin, failure, success } from './define-builtin.ts';
import { notFoundText, snippet } from './edit-texts.ts';
import type { ToolPath } from './paths.ts';
import { plural } from './plural.ts';
import { decodeUtf8, splitMark } from './text/decode-text.ts';
import { replaceText } from './text/replace-text.ts';
import type { Tool } from './tool.ts';
import { wellFormedText } from './well-formed-text.ts';

/** How often an edit is made anew because someone wrote the file between our reading and writing it. */
const MAX_ATTEMPTS = 5;

const parameters = lazy(() =>
  z.object({
    file_path: z.string().min(1).describe("Absolute path, or one relative to the workspace's directory."),
    old_string: wellFormedText()
      .min(1)
      .describe('The text to replace, exactly as Read shows it, without line numbers.'),
    new_string: wellFormedText().describe('The text to put there.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence. Default false: there must be just one.'),
  }),
);

type EditInput = z.output<ReturnType<typeof parameters>>;

const description = `Replaces a text in a file.

- old_string is literal, not a pattern, and has to match exactly one place; take in enough lines around it, or set replace_all.
- Line ends match as Read shows them. The file keeps its own line ends, byte order mark, mode and links.
- Fails if the file changed since this session read it: read it again first. Files that are not UTF-8 are left alone.`;

async function editFile(context: BuiltinContext, input: EditInput, { signal }: BuiltinCall): Promise<BuiltinOutcome> {
  if (input.old_string === input.new_string) {
    return failure('old_string and new_string are the same, so nothing was changed.', { error_code: 'input-invalid' });
  }
  const target = await context.paths.writable(input.file_path, { signal });
  return context.fileLocks.run(target.realPath, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await editOnce(context, target, input, signal);
      } catch (error) {
        const isKnown = context.versions.get(target.realPath) !== undefined;
        if (isKnown || attempt === MAX_ATTEMPTS || !FileChangedError.isInstance(error)) throw error;
      }
    }
  });
}

async function editOnce(
  { backend, versions }: BuiltinContext,
  { path, realPath }: ToolPath,
  { old_string: oldText, new_string: newText, replace_all: replaceAll }: EditInput,
  signal: AbortSignal | undefined,
): Promise<BuiltinOutcome> {
  const known = versions.get(realPath);
  const { bytes, stat } = await backend.readFile(realPath, { signal });
  if (known !== undefined && known !== stat.version) throw new FileChangedError({ path });
  const { mark, text } = splitMark(decodeUtf8(bytes, { path }));
  const result = replaceText(text, { oldText, newText, replaceAll: replaceAll ?? false });
  if (result.kind === 'not-found') return failure(notFoundText(text, { path, oldText }), { error_code: 'no-match' });
  if (result.kind === 'ambiguous') {
    const count = `${result.isMore ? 'more than ' : ''}${result.count}`;
    return failure(
      `old_string matches more than once in ${path}: ${count} places, on lines ${result.lines.join(', ')}${result.count > result.lines.length ? ', …' : ''}. Take in more of the lines around the right one, or set replace_all.`,
      { error_code: 'ambiguous-match', count: result.count },
    );
  }
  if (result.text === text) {
    return failure(
      `Nothing was changed in ${path}: the replacement gives the same bytes. Line ends match as Read shows them; change them with Bash.`,
      { error_code: 'nothing-changed' },
    );
  }
  const written = await backend.writeFile(realPath, mark + result.text, {
    ifMatches: stat.version,
    makeParents: false,
    signal,
  });
  // A session that has not read the file does not know it now either.
  if (known !== undefined) versions.learn(realPath, written.stat.version);
  return success(
    `Replaced ${plural(result.count, 'occurrence')} in ${path}.\n${snippet(result.text, result.start, result.end)}`,
    { count: result.count, size_bytes: written.stat.sizeBytes },
  );
}

/** The tool that changes a part of a file. */
export function editTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Edit',
      description,
      parameters: parameters(),
      annotations: { title: 'Edit a file', destructiveHint: true, openWorldHint: false },
      isReadOnly: false,
      isConcurrencySafe: false,
      isSelfPaging: true,
      run: (input, call) => editFile(context, input, call),
    },
    context,
  );
}
