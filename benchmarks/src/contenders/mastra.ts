import { createWorkspaceTools, LocalFilesystem, LocalSandbox, Workspace } from '@mastra/core/workspace';
import { z } from 'zod';
import type { Contender } from './contender.ts';

const toolSchema = z.custom<{ execute(input: unknown, context: unknown): Promise<unknown> }>(
  (value) => typeof value === 'object' && value !== null && 'execute' in value,
);

// Its tools count tokens and cut their answers at 3,000: here they are to give all that they find.
const UNCUT = { maxOutputTokens: 10_000_000 };

function countIn(text: unknown, pattern: RegExp): number {
  const found = typeof text === 'string' ? pattern.exec(text)?.[1] : undefined;
  if (found === undefined) throw new Error(`Mastra's tool answered in another form: ${String(text).slice(0, 200)}`);
  return Number(found);
}

/**
 * Mastra's workspace on this machine: its file system and sandbox, and its tools where only those
 * can do a thing (edit, grep, list files by pattern).
 */
export async function openMastra(root: string): Promise<Contender> {
  const filesystem = new LocalFilesystem({ basePath: root });
  const sandbox = new LocalSandbox({ workingDirectory: root });
  const workspace = new Workspace({
    filesystem,
    sandbox,
    tools: { mastra_workspace_grep: UNCUT, mastra_workspace_list_files: UNCUT },
  });
  await workspace.init();
  const tools = await createWorkspaceTools(workspace);
  const callTool = (name: string, input: unknown): Promise<unknown> =>
    toolSchema.parse(tools[`mastra_workspace_${name}`]).execute(input, { workspace });
  return {
    name: '@mastra/core',
    async execTrue() {
      await sandbox.executeCommand?.('true');
    },
    async readFile(path) {
      return (await filesystem.readFile(path)).length;
    },
    async writeFile(path, content) {
      await filesystem.writeFile(path, content);
    },
    async editFile(path, oldText, newText) {
      const answer = await callTool('edit_file', { path, old_string: oldText, new_string: newText });
      countIn(answer, /^Replaced (\d+)/);
    },
    async grep(pattern) {
      return countIn(await callTool('grep', { pattern, path: '.' }), /^(\d+) match/);
    },
    async glob(pattern) {
      return countIn(await callTool('list_files', { path: '.', pattern, maxDepth: 10 }), /(\d+) files?\s*$/);
    },
    async [Symbol.asyncDispose]() {
      await workspace.destroy();
    },
  };
}
