import type { Workspace } from '@agent-workspace/core';
import { afterEach, describe, expect, it } from 'vitest';
import { WorkspaceMaker } from '../workspace-contract/contract-workspace.ts';
import {
  callOwn,
  callTool,
  clientIn,
  type RealMcpServersOptions,
  textOf,
  useSharedWorkspace,
} from './real-mcp-options.ts';

/** `@modelcontextprotocol/server-filesystem`, on the workspace's own files. */
export function filesystemServer(options: RealMcpServersOptions): void {
  describe('filesystem', () => {
    const shared = useSharedWorkspace(options, async (workspace) => {
      const { command, args } = options.server('filesystem');
      await workspace.addMcp({ name: 'filesystem', command, args: [...args, workspace.workdir] });
    });
    const session = (): ReturnType<Workspace['session']> => shared().session({ agentId: 'a', sessionId: 's' });
    const at = (name: string): string => `${shared().workdir}/${name}`;

    it('real-mcp:filesystem-reads: reads what Write has written', async () => {
      const written = await callOwn(session(), 'Write', { file_path: at('a.txt'), content: 'of Write 你好\n' });
      expect(written.state).toBe('success');
      const client = await clientIn(session(), 'filesystem');
      const read = await callTool(client, 'read_text_file', { path: at('a.txt') });
      expect(read).toMatchObject({ state: 'success', content: [{ type: 'text', text: 'of Write 你好\n' }] });
    });

    it('real-mcp:filesystem-writes: writes what Read shows', async () => {
      const client = await clientIn(session(), 'filesystem');
      const input = { path: at('b.txt'), content: 'of the server\n' };
      expect(await callTool(client, 'write_file', input)).toMatchObject({ state: 'success' });
      const read = await callOwn(session(), 'Read', { file_path: at('b.txt') });
      expect(textOf(read)).toContain('of the server');
      expect(textOf(await callOwn(session(), 'Bash', { command: 'cat b.txt' }))).toBe('of the server\n');
    });

    it('real-mcp:filesystem-media: gives an image as one', async () => {
      const bytes = Buffer.from('iVBORw0KGgo=', 'base64');
      await shared().backend.writeFile(at('c.png'), bytes);
      const client = await clientIn(session(), 'filesystem');
      const { content } = await callTool(client, 'read_media_file', { path: at('c.png') });
      expect(content).toMatchObject([
        { type: 'data', source: { media_type: 'image/png', data: bytes.toString('base64') } },
      ]);
    });

    it('real-mcp:filesystem-refuses: tells that it may not leave the directory that it was given', async () => {
      const client = await clientIn(session(), 'filesystem');
      const refused = await callTool(client, 'read_text_file', { path: '/etc/hostname' });
      expect(refused.state).toBe('error');
      expect(textOf(refused)).toContain('outside');
    });
  });
}

/** `@modelcontextprotocol/server-memory`, whose graph is a file. */
export function memoryServer(options: RealMcpServersOptions): void {
  describe('memory', () => {
    const maker = new WorkspaceMaker(options);
    afterEach(() => maker.cleanUp());

    it('real-mcp:memory-survives: remembers beyond the end of the workspace, which ends the server', async () => {
      const place = maker.place();
      const open = (): Promise<Workspace> => maker.open({ workspaceId: place }, place);
      const first = await open();
      const env = { MEMORY_FILE_PATH: `${first.workdir}/memory.jsonl` };
      await first.addMcp({ name: 'memory', ...options.server('memory'), env });
      const client = await clientIn(first.session({ agentId: 'a', sessionId: 's' }), 'memory');
      const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
      expect(await callTool(client, 'create_entities', { entities })).toMatchObject({ state: 'success' });
      const pid = client.state.kind === 'connected' ? client.state.pid : undefined;
      expect(pid).toEqual(expect.any(Number));
      await first.close();
      await expect(client.callTool('read_graph', {})).rejects.toMatchObject({ code: 'mcp-client-closed' });

      const second = await open();
      const alive = await second.backend.exec(['sh', '-c', 'tr "\\0" " " </proc/$1/cmdline', 'sh', String(pid)]);
      expect(Buffer.from(alive.stdout.head).toString()).not.toContain('memory');
      const again = await clientIn(second.session({ agentId: 'b', sessionId: 't' }), 'memory');
      const graph = await again.callTool('read_graph', {});
      expect(graph.structuredContent).toMatchObject({ entities });
      expect(textOf(await callTool(again, 'search_nodes', { query: 'engines' }))).toContain('Ada');
    });
  });
}
