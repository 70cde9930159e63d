import { LocalWorkspace } from '@agent-workspace/local';
import type { Contender } from './contender.ts';

/** A local workspace: its backend, and its Edit tool. */
export async function openOurs(root: string): Promise<Contender> {
  const workspace = await LocalWorkspace.open({ workdir: root });
  const { backend } = workspace;
  const edit = (await workspace.listTools()).find((tool) => tool.name === 'Edit');
  return {
    name: 'ours',
    async execTrue() {
      await backend.exec(['true']);
    },
    async readFile(path) {
      return (await backend.readFile(path)).bytes.length;
    },
    async writeFile(path, content) {
      await backend.writeFile(path, content);
    },
    async editFile(path, oldText, newText) {
      const input = { file_path: `${backend.workdir}/${path}`, old_string: oldText, new_string: newText };
      for await (const chunk of edit?.call(input) ?? []) {
        if (chunk.state === 'error') throw new Error(`Edit failed: ${JSON.stringify(chunk.content)}`);
      }
    },
    async grep(pattern) {
      const result = await backend.grep({ pattern, mode: 'lines' });
      return result.mode === 'lines' ? result.lines.length : 0;
    },
    async glob(pattern) {
      return (await backend.glob({ pattern })).paths.length;
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
    },
  };
}
