import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { referenceServer } from './http-servers.ts';
import { clientFor, closeClients, isRunning, pidOf, textOf } from './support.ts';

let directory = '';

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
});

afterEach(async () => {
  await closeClients();
  rmSync(directory, { recursive: true });
});

const server = (name: 'everything' | 'filesystem' | 'memory', ...args: string[]): Record<string, unknown> => ({
  name,
  command: process.execPath,
  args: [referenceServer(name), ...args],
});

describe('the reference servers over stdio', () => {
  it('everything: text, images, links, structure and progress', async () => {
    const client = clientFor(server('everything'));
    expect(await textOf(client, 'echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await textOf(client, 'get-sum', { a: 2, b: 40 })).toContain('42');
    const image = await client.callTool('get-tiny-image', {});
    expect(image.content.map(({ type }) => type)).toContain('image');
    const links = await client.callTool('get-resource-links', { count: 2 });
    expect(links.content.filter(({ type }) => type === 'resource_link')).toHaveLength(2);
    const structured = await client.callTool('get-structured-content', { location: 'New York' });
    expect(structured.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    const seen: number[] = [];
    await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 2 },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2]);
    const pid = pidOf(client);
    await client.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('filesystem: reads, writes and refuses', async () => {
    writeFileSync(join(directory, 'a.txt'), 'hello 你好\n');
    const client = clientFor(server('filesystem', directory), { cwd: directory });
    expect((await client.listTools()).map(({ name }) => name)).toContain('mcp__filesystem__write_file');
    expect(await textOf(client, 'read_text_file', { path: join(directory, 'a.txt') })).toBe('hello 你好\n');
    const refused = await client.callTool('read_text_file', { path: '/etc/hostname' });
    expect(refused.isError).toBe(true);
    const pid = pidOf(client);
    await client.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('memory: remembers within its file', async () => {
    const path = join(directory, 'memory.jsonl');
    const declaration = { ...server('memory'), env: { MEMORY_FILE_PATH: path } };
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    const first = clientFor(declaration);
    expect((await first.callTool('create_entities', { entities })).isError ?? false).toBe(false);
    await first.close();
    const second = clientFor(declaration);
    expect(await textOf(second, 'read_graph')).toContain('likes engines');
  });
});
