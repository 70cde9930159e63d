import type { DataBlock, Message, ToolResultBlock } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { assistantMessage, RED_PIXEL_PNG, userMessage } from './contract-messages.ts';
import { namesIn, readText, useWorkspaces, type WorkspaceContractOptions } from './contract-workspace.ts';

function toolResult(id: string, output: ToolResultBlock['output']): ToolResultBlock {
  return { type: 'tool_result', id, name: 'Bash', output, state: 'success', metadata: {} };
}

function inline(id: string, data: string, mediaType: string, name?: string): DataBlock {
  return {
    type: 'data',
    id,
    source: { type: 'base64', data, media_type: mediaType },
    ...(name !== undefined && { name }),
  };
}

/** Compressed messages, oversized results and media. */
export function offloadContract(options: WorkspaceContractOptions): void {
  describe('offload', () => {
    const workspaces = useWorkspaces(options);

    it('offload:context: appends one JSON line a message and gives the path that the agent sees', async () => {
      const workspace = await workspaces.open();
      const path = await workspace.offloadContext('s', [userMessage('m-1', 'one'), userMessage('m-2', 'two\n你好')]);
      expect(path).toBe(`${workspace.workdir}/sessions/s/context.jsonl`);
      expect(await workspace.offloadContext('s', [userMessage('m-3', 'three')])).toBe(path);
      const lines = (await readText(workspace, path)).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => (JSON.parse(line) as Message).id)).toEqual(['m-1', 'm-2', 'm-3']);
      expect(Object.keys(JSON.parse(lines[0] ?? '') as object).join(' ')).toBe(
        'name content role id metadata created_at usage finished_at finished_reason structured_output error',
      );
      expect(await workspace.readContext('s')).toMatchObject([{ id: 'm-1' }, { id: 'm-2' }, { id: 'm-3' }]);
    });

    it('offload:context-empty: writes nothing for no messages', async () => {
      const workspace = await workspaces.open();
      const path = await workspace.offloadContext('s', []);
      expect(path).toBe(`${workspace.workdir}/sessions/s/context.jsonl`);
      expect(await workspace.backend.stat(path)).toBeUndefined();
    });

    it('offload:context-repeat: does not append what is there already, the same id and content', async () => {
      const workspace = await workspaces.open();
      await workspace.offloadContext('s', [userMessage('m-1', 'one')]);
      await workspace.offloadContext('s', [userMessage('m-1', 'one'), userMessage('m-2', 'two')]);
      await workspace.offloadContext('s', [{ ...userMessage('m-1', 'one'), usage: { input_tokens: 1 } }]);
      await workspace.offloadContext('s', [userMessage('m-1', 'another text')]);
      const texts = (await workspace.readContext('s')).map(({ content }) => content[0]);
      expect(texts).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'another text' }]);
    });

    it('offload:context-parallel: keeps all of 50 offloads at once [A08]', async () => {
      const workspace = await workspaces.open();
      const ids = Array.from({ length: 50 }, (_, index) => `m-${index}`);
      await Promise.all(ids.map((id) => workspace.offloadContext('s', [userMessage(id, `text of ${id}`)])));
      const found = (await workspace.readContext('s')).map(({ id }) => id);
      expect(found.toSorted()).toEqual(ids.toSorted());
    });

    it('offload:context-two-workspaces: two objects on one place lose nothing of each other [A10]', async () => {
      const place = workspaces.place();
      const shared = { workspaceId: 'ws-two' };
      const [first, second] = [await workspaces.open(shared, place), await workspaces.open(shared, place)];
      const append = (workspace: typeof first, prefix: string): Promise<string[]> =>
        Promise.all(
          Array.from({ length: 25 }, (_, index) =>
            workspace.offloadContext('s', [userMessage(`${prefix}-${index}`, 'x')]),
          ),
        );
      await Promise.all([append(first, 'a'), append(second, 'b')]);
      expect(await first.readContext('s')).toHaveLength(50);
    });

    it('offload:context-torn: closes a torn last line off, keeps both sides and says so [O12] [A03]', async () => {
      const workspace = await workspaces.open();
      const path = await workspace.offloadContext('s', [userMessage('m-1', 'one')]);
      const whole = await readText(workspace, path);
      const torn = Buffer.concat([
        Buffer.from(`${whole}{"name":"user","content":[{"text":"`),
        Buffer.from('e4bd', 'hex'),
      ]);
      await workspace.backend.writeFile(path, torn);
      expect(await workspace.readContext('s')).toMatchObject([{ id: 'm-1' }]);
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({ kind: 'context', path: `${path}:2`, reason: expect.stringContaining('torn') }),
      );
      await workspace.offloadContext('s', [userMessage('m-2', 'two')]);
      expect(await workspace.readContext('s')).toMatchObject([{ id: 'm-1' }, { id: 'm-2' }]);
      expect(workspace.diagnostics).toContainEqual(
        expect.objectContaining({ kind: 'context', path, reason: expect.stringContaining('closed off') }),
      );
    });

    it('offload:context-invalid: refuses what is no message and stores nothing of the call', async () => {
      const workspace = await workspaces.open();
      const broken = { ...userMessage('m-2', 'two'), content: 'text' } as unknown as Message;
      await expect(workspace.offloadContext('s', [userMessage('m-1', 'one'), broken])).rejects.toMatchObject({
        code: 'message-invalid',
        message: expect.stringContaining('message 1'),
      });
      expect(await workspace.readContext('s')).toEqual([]);
    });

    it('offload:context-pairs: keeps calls and results whole [O07]', async () => {
      const workspace = await workspaces.open();
      const calls = assistantMessage('m-1', [
        { type: 'tool_call', id: 'c-1', name: 'Read', input: '{}', state: 'finished', suggested_rules: [] },
        { type: 'tool_call', id: 'c-2', name: 'Grep', input: '{}', state: 'finished', suggested_rules: [] },
        { ...toolResult('c-1', 'one'), name: 'Read' },
        { ...toolResult('c-2', 'two'), name: 'Grep' },
        { type: 'thinking', id: 't-1', thinking: 'hm', signature: 'opaque' },
      ]);
      await workspace.offloadContext('s', [calls]);
      const [stored] = await workspace.readContext('s');
      expect(stored?.content).toEqual(calls.content);
    });

    it('offload:context-unknown: keeps fields that it does not know', async () => {
      const workspace = await workspaces.open();
      await workspace.offloadContext('s', [{ ...userMessage('m-1', 'one'), from_the_future: { deep: [1, null] } }]);
      expect(await workspace.readContext('s')).toMatchObject([{ from_the_future: { deep: [1, null] } }]);
    });

    it('offload:context-media: moves inline media out, also from results and hints', async () => {
      const workspace = await workspaces.open();
      const block = inline('d-1', RED_PIXEL_PNG, 'image/png', 'red.png');
      await workspace.offloadContext('s', [
        assistantMessage('m-1', [
          block,
          toolResult('c-1', [block]),
          { type: 'hint', id: 'h-1', hint: [{ ...block, id: 'd-2' }], source: null },
        ]),
      ]);
      const names = await namesIn(workspace, `${workspace.workdir}/data`);
      expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.png$/)]);
      const text = await readText(workspace, `${workspace.workdir}/sessions/s/context.jsonl`);
      expect(text).not.toContain(RED_PIXEL_PNG);
      expect(text.split(`workspace:///data/${names[0]}`)).toHaveLength(4);
    });

    it('offload:media-hash: names media by the SHA-256 of their bytes and stores them once', async () => {
      const workspace = await workspaces.open();
      const first = await workspace.offloadDataBlock(inline('d-1', 'aGVsbG8=', 'text/plain', 'a.txt'));
      const again = await workspace.offloadDataBlock(inline('d-2', 'aGVs\nbG8', 'text/plain', 'b.txt'));
      const name = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.txt';
      expect(first).toEqual({
        type: 'data',
        id: 'd-1',
        name: 'a.txt',
        source: { type: 'url', url: `workspace:///data/${name}`, media_type: 'text/plain' },
      });
      expect(again.source).toEqual(first.source);
      expect(await namesIn(workspace, `${workspace.workdir}/data`)).toEqual([name]);
      expect(await readText(workspace, `${workspace.workdir}/data/${name}`)).toBe('hello');
      expect(await workspace.offloadDataBlock(first)).toEqual(first);
    });

    it.each([
      ['[O15] by content', 'image/jpeg', 'png'],
      ['[O16] with parameters', 'image/png;x=1', 'png'],
    ])('offload:media-extension-content: chooses the extension %s', async (_case, mediaType, extension) => {
      const workspace = await workspaces.open();
      await workspace.offloadDataBlock(inline('d-1', RED_PIXEL_PNG, mediaType, 'a.png?width=3'));
      expect(await namesIn(workspace, `${workspace.workdir}/data`)).toEqual([
        expect.stringMatching(new RegExp(`^[0-9a-f]{64}\\.${extension}$`)),
      ]);
    });

    it.each([
      ['[O18]', 'image/svg+xml', 'svg'],
      ['[O19] of an unknown type', 'application/x-foo', 'bin'],
      ['[O19] of no type', '', 'bin'],
      ['of a usual type', 'audio/wav', 'wav'],
    ])('offload:media-extension-type: chooses the extension %s by type', async (_case, mediaType, extension) => {
      const workspace = await workspaces.open();
      await workspace.offloadDataBlock(inline('d-1', 'aGVsbG8=', mediaType));
      expect(await namesIn(workspace, `${workspace.workdir}/data`)).toEqual([
        expect.stringMatching(new RegExp(`^[0-9a-f]{64}\\.${extension}$`)),
      ]);
    });

    it('offload:media-base64: puts up with white space and padding, and refuses the rest [O20] [A07]', async () => {
      const workspace = await workspaces.open();
      for (const data of ['!!!', '', 'aGVsbG8=====', 'aGVsb', 'data:text/plain;base64,aGVsbG8=']) {
        await expect(workspace.offloadDataBlock(inline('d-1', data, 'text/plain'))).rejects.toMatchObject({
          code: 'base64-invalid',
        });
      }
      expect(await namesIn(workspace, `${workspace.workdir}/data`)).toEqual([]);
    });

    it('offload:media-path-like: takes /9j/… for bytes and not for a path [O21]', async () => {
      const workspace = await workspaces.open();
      await workspace.offloadDataBlock(inline('d-1', '/9j/4AAQ', 'image/jpeg'));
      const [name = ''] = await namesIn(workspace, `${workspace.workdir}/data`);
      expect(name).toMatch(/\.jpg$/);
      const { bytes } = await workspace.backend.readFile(`${workspace.workdir}/data/${name}`);
      expect(Buffer.from(bytes).toString('hex')).toBe('ffd8ffe00010');
    });

    it('offload:media-read: Read takes a media URL as a path', async () => {
      const workspace = await workspaces.open();
      const stored = await workspace.offloadDataBlock(inline('d-1', 'aGVsbG8=', 'text/plain'));
      const read = (await workspace.listTools()).find(({ name }) => name === 'Read');
      const url = stored.source.type === 'url' ? stored.source.url : '';
      const chunks = await Array.fromAsync(read?.call({ file_path: url }) ?? []);
      expect(chunks.at(-1)).toMatchObject({ state: 'success', content: [{ text: expect.stringContaining('hello') }] });
    });

    it('offload:result-text: writes text as it is', async () => {
      const workspace = await workspaces.open();
      const text = 'first\r\nsecond, 你好\n\n';
      const path = await workspace.offloadToolResult('s', toolResult('call_1', text));
      expect(path).toBe(`${workspace.workdir}/sessions/s/tool_result-call_1.txt`);
      expect(await readText(workspace, path)).toBe(text);
    });

    it('offload:result-blocks: joins blocks with nothing between, media as elements [O04]', async () => {
      const workspace = await workspaces.open();
      const path = await workspace.offloadToolResult(
        's',
        toolResult('call_1', [
          { type: 'text', id: 't-1', text: 'x'.repeat(1_000_000) },
          inline('d-1', 'aGVsbG8=', 'text/plain', "it's.txt"),
          {
            type: 'data',
            id: 'd-2',
            source: { type: 'url', url: 'https://example.com/a.jpg', media_type: 'image/jpeg' },
          },
          { type: 'text', id: 't-2', text: ' after' },
        ]),
      );
      const [name] = await namesIn(workspace, `${workspace.workdir}/data`);
      expect(await readText(workspace, path)).toBe(
        `${'x'.repeat(1_000_000)}<data url='workspace:///data/${name}' name='it's.txt' media_type='text/plain'/>` +
          `<data url='https://example.com/a.jpg' name='None' media_type='image/jpeg'/> after`,
      );
    });

    it('offload:result-repeat: gives the same bytes the same path, other bytes one of their own', async () => {
      const workspace = await workspaces.open();
      const first = await workspace.offloadToolResult('s', toolResult('call_1', 'one'));
      const second = await workspace.offloadToolResult('s', toolResult('call_1', 'two'));
      expect(second).toBe(first.replace('.txt', '(1).txt'));
      expect(await workspace.offloadToolResult('s', toolResult('call_1', 'one'))).toBe(first);
      expect(await workspace.offloadToolResult('s', toolResult('call_1', 'two'))).toBe(second);
      expect(await readText(workspace, first)).toBe('one');
    });

    it('offload:result-case: keeps ids apart that differ by case alone', async () => {
      const workspace = await workspaces.open();
      const lower = await workspace.offloadToolResult('s', toolResult('call_a', 'same'));
      const upper = await workspace.offloadToolResult('s', toolResult('call_A', 'same'));
      expect(lower.toLowerCase()).not.toBe(upper.toLowerCase());
    });

    it('offload:result-parallel: keeps all of 20 results under one id', async () => {
      const workspace = await workspaces.open();
      const texts = Array.from({ length: 20 }, (_, index) => `result ${index}`);
      const paths = await Promise.all(texts.map((text) => workspace.offloadToolResult('s', toolResult('c', text))));
      expect(new Set(paths).size).toBe(20);
      expect(await Promise.all(paths.map((path) => readText(workspace, path)))).toEqual(texts);
    });

    it('offload:sessions-apart: the same call id in two sessions makes two files [O03]', async () => {
      const workspace = await workspaces.open();
      const one = await workspace.offloadToolResult('s1', toolResult('call_1', 'one'));
      const two = await workspace.offloadToolResult('s2', toolResult('call_1', 'two'));
      expect([await readText(workspace, one), await readText(workspace, two)]).toEqual(['one', 'two']);
    });

    it.each(['../../x', '..', '.', 'a/b', 'a\\b', 'a\0b', 'x$(touch P)', 'Ünï', 'con', '-rf', 'é'.repeat(200), 'A'])(
      'offload:ids-inside: keeps the id %j inside of its session [O23] [A04] [A05]',
      async (id) => {
        const workspace = await workspaces.open();
        const { workdir } = workspace;
        const before = await namesIn(workspace, workdir);
        const context = await workspace.offloadContext(id, [userMessage('m-1', 'one')]);
        const result = await workspace.offloadToolResult(id, toolResult(id, 'text'));
        for (const path of [context, result]) {
          expect(path).toMatch(/^[^\0]*\/sessions\/[a-z0-9%][^/\\\0]*\/[^/\\\0]+$/);
          expect(path.startsWith(`${workdir}/sessions/`)).toBe(true);
          expect(Buffer.byteLength(path.split('/').at(-1) ?? '')).toBeLessThan(200);
        }
        expect(await workspace.readContext(id)).toHaveLength(1);
        expect(await readText(workspace, result)).toBe('text');
        expect(await namesIn(workspace, workdir)).toEqual([...new Set([...before, 'sessions'])].toSorted());
      },
    );

    it('offload:ids-apart: never gives two ids one directory', async () => {
      const workspace = await workspaces.open();
      const ids = ['a', 'A', '%41', 'a b', 'a%20b', 'a_b', `${'x'.repeat(130)}1`, `${'x'.repeat(130)}2`, '_a', '%5Fa'];
      const paths = await Promise.all(ids.map((id) => workspace.offloadContext(id, [userMessage('m', id)])));
      expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(ids.length);
      await expect(workspace.offloadContext('', [userMessage('m', 'x')])).rejects.toMatchObject({ code: 'id-invalid' });
    });

    it('offload:purge-session: forgets a session, and no other [A04]', async () => {
      const workspace = await workspaces.open();
      await workspace.offloadContext('s1', [userMessage('m-1', 'one')]);
      await workspace.offloadContext('s2', [userMessage('m-2', 'two')]);
      const session = workspace.session({ agentId: 'a', sessionId: 's1' });
      await session.addMcp({ name: 'own', command: 'true' });
      await workspace.purgeSession('s1');
      expect(await workspace.readContext('s1')).toEqual([]);
      expect(await session.listMcps()).toEqual([]);
      expect(await workspace.readContext('s2')).toHaveLength(1);
      await workspace.purgeSession('never-there');
      await workspace.purgeSession('../data');
      expect(await workspace.readContext('s2')).toHaveLength(1);
    });

    it('offload:session-link: follows no link that an agent put in place of a session [X10]', async () => {
      const workspace = await workspaces.open();
      const { workdir, backend } = workspace;
      await backend.writeFile(`${workdir}/mine/keep.txt`, 'kept');
      await backend.makeDirectory(`${workdir}/sessions`);
      await backend.exec(['ln', '-s', '../mine', `${workdir}/sessions/s1`]);
      await backend.exec(['ln', '-s', '/etc', `${workdir}/sessions/s2`]);
      await workspace.purgeSession('s1');
      await workspace.purgeSession('s2');
      expect(await namesIn(workspace, `${workdir}/sessions`)).toEqual([]);
      expect(await readText(workspace, `${workdir}/mine/keep.txt`)).toBe('kept');
    });

    it('offload:purge-media: keeps media for a day after their session, and those of other sessions [O06]', async () => {
      const workspace = await workspaces.open();
      const { workdir, backend } = workspace;
      const message = assistantMessage('m-1', [inline('d-1', 'Z29uZQ==', 'text/plain')]);
      const shared = assistantMessage('m-2', [inline('d-2', 'c3RheXM=', 'text/plain')]);
      await workspace.offloadContext('s1', [message, shared]);
      await workspace.offloadContext('s2', [shared]);
      await workspace.purgeSession('s1');
      expect(await namesIn(workspace, `${workdir}/data`)).toHaveLength(2);

      // A day later: what was put down is due, and the files are as old.
      const list = `${workdir}/.workspace/media-cleanup.json`;
      const due = JSON.parse(await readText(workspace, list)) as Record<string, number>;
      expect(Object.keys(due)).toHaveLength(2);
      await backend.writeFile(list, JSON.stringify(Object.fromEntries(Object.keys(due).map((name) => [name, 1]))));
      await backend.exec(['sh', '-c', 'touch -t 202001010000 data/*'], { cwd: workdir });
      await workspace.purgeSession('s3');
      const names = await namesIn(workspace, `${workdir}/data`);
      expect(await Promise.all(names.map((name) => readText(workspace, `${workdir}/data/${name}`)))).toEqual(['stays']);
    });
  });
}
