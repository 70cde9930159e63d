import { z } from 'zod';
import { lazy } from '../lazy.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin, success } from './define-builtin.ts';
import type { Tool } from './tool.ts';
import { plural } from './plural.ts';
import { wellFormedText } from './well-formed-text.ts';

const parameters = lazy(() =>
  z.object({
    file_path: z.string().min(1).describe("Absolute path, or one relative to the workspace's directory."),
    content: wellFormedText().describe('The whole content, exactly as it is to be stored.'),
  }),
);

const description = `Writes a whole file, in place of what was there. For a change to a part use Edit.

- The text is stored byte for byte as UTF-8: nothing is added, not even a last line end.
- Missing parent directories are made. An existing file keeps its mode, and a link still leads to it.
- Fails if the file changed since this session read or wrote it: read it again first.`;

async function writeFile(
  { backend, paths, versions, fileLocks }: BuiltinContext,
  { file_path: given, content }: z.output<ReturnType<typeof parameters>>,
  { signal }: BuiltinCall,
): Promise<BuiltinOutcome> {
  const { path, realPath } = await paths.writable(given, { signal });
  return fileLocks.run(realPath, async () => {
    const known = versions.get(realPath);
    // A file that is gone cannot have anything in it that the session has not seen.
    const isGone = known !== undefined && (await backend.stat(realPath, { signal })) === undefined;
    if (isGone) versions.forget(realPath);
    const ifMatches = isGone ? undefined : known;
    const { isNew, stat } = await backend.writeFile(realPath, content, { ifMatches, signal });
    versions.learn(realPath, stat.version);
    const what = isNew ? 'Created' : 'Overwrote';
    const unseen = isNew || known !== undefined ? '' : ' This session had not read what was there before.';
    const size = `${plural(stat.sizeBytes, 'byte')}, ${plural(countLines(content), 'line')}`;
    return success(`${what} ${path} (${size}).${unseen}`, { is_new: isNew, size_bytes: stat.sizeBytes });
  });
}

function countLines(text: string): number {
  if (text === '') return 0;
  let feeds = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) feeds += 1;
  return text.endsWith('\n') ? feeds : feeds + 1;
}

/** The tool that writes files. */
export function writeTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Write',
      description,
      parameters: parameters(),
      annotations: { title: 'Write a file', destructiveHint: true, idempotentHint: true, openWorldHint: false },
      isReadOnly: false,
      isConcurrencySafe: false,
      isSelfPaging: true,
      run: (input, call) => writeFile(context, input, call),
    },
    context,
  );
}
