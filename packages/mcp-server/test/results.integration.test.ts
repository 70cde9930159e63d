import { mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fixtureServer } from '@agent-workspace/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { WorkspaceMcpServer } from '../src/index.ts';
import { LocalWorkspace } from '@agent-workspace/local';
import { ConnectedClient, textOf } from './support/connected-client.ts';

const CAP = 40_000;
const local = {
  defaultMcps: [
    { name: 'huge', ...fixtureServer('huge-result') },
    { name: 'contents', ...fixtureServer('unknown-content') },
  ],
};

function textBytes(result: CallToolResult): number {
  return Buffer.byteLength(textOf(result));
}

/** The call of Read that a text ends with. */
function nextCall(text: string): Record<string, unknown> | undefined {
  const call = /(?:There are more|Read on): Read\((?<input>.*?)\)(?:\]$|, or find)/u.exec(text)?.groups?.['input'];
  if (call === undefined) return undefined;
  return JSON.parse(`{${call.replaceAll(/(^|, )(\w+)=/gu, '$1"$2":')}}`) as Record<string, unknown>;
}

describe('a long result', () => {
  it('is cut at the cap, and kept in a file with the next call to make', async () => {
    await using connected = await ConnectedClient.connect({ local });
    const result = await connected.call('huge__huge', { bytes: 1_000_000 });
    const text = textOf(result);
    expect(textBytes(result)).toBeLessThanOrEqual(CAP);
    expect(textBytes(result)).toBeGreaterThan(CAP - 1_500);
    const shown =
      /\[Only the first (?<shown>\d+) of 1000000 bytes are shown\. All of it is in (?<path>\S+\.txt)\. /u.exec(text);
    const next = nextCall(text);
    expect(next).toStrictEqual({ file_path: shown?.groups?.['path'], byte_offset: Number(shown?.groups?.['shown']) });
    expect(textOf(await connected.call('Read', next ?? {}))).toMatch(
      /^x+\n\n\[Bytes \d+ to \d+ of 1000000\. There are more: /u,
    );
  });

  it('of 50 MB comes through, as what fits, and is kept whole', async () => {
    await using connected = await ConnectedClient.connect({ local, scope: { sessionId: 'one' } });
    const sizeBytes = 50 * 1024 * 1024;
    const result = await connected.call('huge__huge', { bytes: sizeBytes });
    expect(textBytes(result)).toBeLessThanOrEqual(CAP);
    const kept = await stat(`${connected.workdir}/sessions/one/tool_result-call-1.txt`);
    expect(kept.size).toBe(sizeBytes);
  });

  it('is a resource, which is read by pages', async () => {
    await using connected = await ConnectedClient.connect({ local });
    const { content } = await connected.call('huge__huge', { bytes: 600_000 });
    const link = content.find((part) => part.type === 'resource_link');
    expect(link).toMatchObject({ name: 'tool_result-call-1.txt', mimeType: 'text/plain' });
    const { resources } = await connected.client.listResources();
    expect(resources).toStrictEqual([{ uri: link?.uri, name: 'tool_result-call-1.txt', mimeType: 'text/plain' }]);
    await vi.waitFor(() => expect(connected.changes.resources).toBe(1), 20_000);

    let uri: string | undefined = link?.uri;
    let whole = '';
    while (uri !== undefined) {
      const [page, next] = (await connected.client.readResource({ uri })).contents;
      whole += (page as { readonly text: string }).text;
      uri = next?.uri;
    }
    expect(whole).toBe('x'.repeat(600_000));
  });

  it('keeps lines and characters whole', async () => {
    await using connected = await ConnectedClient.connect({ local });
    const command =
      'i=0; while [ $i -lt 9000 ]; do echo "$i €€€€€€€€€€€€€"; i=$((i+1)); done | head -c 89000 | tail -c 80000';
    const result = await connected.call('Bash', { command });
    const text = textOf(result);
    expect(textBytes(result)).toBeLessThanOrEqual(CAP);
    expect(text).not.toContain('\uFFFD');
  });

  it('comes without a link to a client of before there were links', async () => {
    const server = new WorkspaceMcpServer({
      open: () => LocalWorkspace.open({ workdir: `${connected.directory.path}/old`, ...local }),
    });
    await using connected = await ConnectedClient.connect();
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const answers: { readonly id?: number; readonly result?: unknown }[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    near.onmessage = (message) => void answers.push(message as (typeof answers)[number]);
    await near.start();
    const clientInfo = { name: 'old', version: '1' };
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
    await near.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const call = { name: 'huge__huge', arguments: { bytes: 100_000 } };
    await near.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call });
    const answer = await vi.waitUntil(() => answers.find(({ id }) => id === 2), { timeout: 20_000 });
    const { content } = answer.result as CallToolResult;
    expect(content.map(({ type }) => type)).toStrictEqual(['text']);
    await server.close();
  });

  it('of a tool with pages of its own is a smaller page, with the exact call for the next', async () => {
    await using connected = await ConnectedClient.connect();
    await connected.call('Glob', { pattern: '*' });
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1} ${'y'.repeat(100)}`);
    await writeFile(`${connected.workdir}/long.txt`, lines.join('\n'));

    let input: Record<string, unknown> = { file_path: 'long.txt' };
    const seen: number[] = [];
    for (;;) {
      const result = await connected.call('Read', input);
      expect(textBytes(result)).toBeLessThanOrEqual(CAP);
      seen.push(...[...textOf(result).matchAll(/\bline (\d+) y/gu)].map(([, number]) => Number(number)));
      const next = nextCall(textOf(result));
      if (next === undefined) break;
      input = next;
    }
    expect(seen).toStrictEqual(lines.map((_, index) => index + 1));

    const found = await connected.call('Grep', { pattern: 'line', output_mode: 'content', head_limit: 0 });
    expect(textBytes(found)).toBeLessThanOrEqual(CAP);
    expect(textOf(found)).toContain('There are more: Grep');
  });

  it('can be cut earlier, and no earlier than is of use', async () => {
    await using connected = await ConnectedClient.connect({ local, maxResultBytes: 5_000 });
    expect(textBytes(await connected.call('huge__huge', { bytes: 10_000 }))).toBeLessThanOrEqual(5_000);
    await expect(ConnectedClient.connect({ maxResultBytes: 3 })).rejects.toMatchObject({
      code: 'mcp-server-options-invalid',
    });
  });

  it('names the resource where Read is not served', async () => {
    await using connected = await ConnectedClient.connect({ local, tools: ['huge__*'] });
    const text = textOf(await connected.call('huge__huge', { bytes: 100_000 }));
    const uri = /Read on with the resource (?<uri>\S+?)\]/u.exec(text)?.groups?.['uri'] ?? '';
    const { contents } = await connected.client.readResource({ uri });
    const shown = Number(/first (?<shown>\d+) of/u.exec(text)?.groups?.['shown']);
    expect(contents).toMatchObject([{ text: 'x'.repeat(100_000 - shown) }]);
  });
});

describe('resources', () => {
  it('are nothing but what the session has put away', async () => {
    await using connected = await ConnectedClient.connect({ local, scope: { sessionId: 'one' } });
    await connected.call('huge__huge', { bytes: 100_000 });
    await connected.directory.write({ 'workspace/sessions/two/tool_result-x.txt': 'theirs', 'secret.txt': 'secret' });
    await symlink('../../../secret.txt', `${connected.workdir}/sessions/one/tool_result-link.txt`);
    const { resources } = await connected.client.listResources();
    expect(resources.map(({ name }) => name)).toStrictEqual(['tool_result-call-1.txt']);
    for (const path of [
      '/sessions/two/tool_result-x.txt',
      '/sessions/one/tool_result-link.txt',
      '/sessions/one/../two/tool_result-x.txt',
      '/sessions/one/%2e%2e/two/tool_result-x.txt',
      '/sessions/one/..%2ftwo%2ftool_result-x.txt',
      '/sessions/one/tool_result-..%2f..%2f..%2f..%2fsecret.txt',
      '/sessions/one/tool_result-nothing.txt',
      '/sessions/one/tool_result-%E0%A4%A.txt',
      '/.workspace/state.json',
      '/../secret.txt',
      '/data/x.png',
      '',
    ]) {
      await expect(connected.client.readResource({ uri: `workspace://${path}` }), path).rejects.toMatchObject({
        code: -32_002,
      });
    }
    await expect(connected.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32_002 });

    await rename(`${connected.workdir}/sessions/one`, `${connected.workdir}/sessions/kept`);
    await symlink('two', `${connected.workdir}/sessions/one`);
    const uri = 'workspace:///sessions/one/tool_result-x.txt';
    await expect(connected.client.readResource({ uri })).rejects.toMatchObject({ code: -32_002 });
  });

  it('come by pages', async () => {
    await using connected = await ConnectedClient.connect({ scope: { sessionId: 'one' } });
    await connected.call('Glob', { pattern: '*' });
    await mkdir(posix.join(connected.workdir, 'sessions/one'), { recursive: true });
    const names = Array.from({ length: 150 }, (_, index) => `tool_result-${String(index).padStart(3, '0')}.txt`);
    await connected.directory.write(Object.fromEntries(names.map((name) => [`workspace/sessions/one/${name}`, 'x'])));
    const first = await connected.client.listResources();
    const second = await connected.client.listResources({ cursor: first.nextCursor });
    expect([first.resources.length, second.resources.length, second.nextCursor]).toStrictEqual([100, 50, undefined]);
    expect([...first.resources, ...second.resources].map(({ name }) => name)).toStrictEqual(names);
    await expect(connected.client.listResources({ cursor: 'gone' })).rejects.toMatchObject({ code: -32_602 });
  });

  it('are there for the next connection of the same session', async () => {
    await using connected = await ConnectedClient.connect({ local, scope: { sessionId: 'one' } });
    await connected.call('huge__huge', { bytes: 100_000 });
    const server = new WorkspaceMcpServer({
      open: () => LocalWorkspace.open({ workdir: connected.workdir }),
      scope: { sessionId: 'one' },
    });
    const client = new Client({ name: 'next', version: '1' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    await client.connect(near);
    const uri = 'workspace:///sessions/one/tool_result-call-1.txt';
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'x'.repeat(100_000) }]);
    await client.close();
    await server.closed;
  });
});

describe('media', () => {
  it('stay images and sound, up to the cap', async () => {
    await using connected = await ConnectedClient.connect({ local });
    const { content } = await connected.call('contents__image');
    expect(content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    const failed = await connected.call('contents__error_image');
    expect(failed.isError).toBe(true);
    expect(failed.content.some(({ type }) => type === 'image')).toBe(true);
    const sound = await connected.call('contents__audio');
    expect(sound.content).toMatchObject([{ type: 'audio' }]);
  });

  it('beyond it are kept in the workspace, and can be read there', async () => {
    await using connected = await ConnectedClient.connect({ local, maxMediaBytes: 1 });
    const { content } = await connected.call('contents__image');
    expect(content).toMatchObject([
      {
        type: 'text',
        text: expect.stringMatching(
          /^\[image\/png, \d+ bytes, kept in \/.*\/data\/[\da-f]{64}\.png\. If .*: Read\(file_path=/u,
        ),
      },
      { type: 'resource_link', mimeType: 'image/png', uri: expect.stringMatching(/^workspace:\/\/\/data\//u) },
    ]);
    const link = content.find((part) => part.type === 'resource_link');
    const read = await connected.client.readResource({ uri: link?.uri ?? '' });
    expect(read.contents).toMatchObject([{ mimeType: 'image/png', blob: 'aGVsbG8=' }]);
  });

  it('that are neither are kept, too', async () => {
    await using connected = await ConnectedClient.connect({ local });
    const { content } = await connected.call('contents__resource_blob');
    expect(content.map(({ type }) => type)).toStrictEqual(['text', 'resource_link']);
  });
});

describe('what a server gives as data', () => {
  it('goes along', async () => {
    await using connected = await ConnectedClient.connect({ local });
    expect((await connected.call('contents__structured')).structuredContent).toMatchObject({ a: expect.anything() });
  });
});
