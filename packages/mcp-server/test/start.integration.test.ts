import { DockerUnavailableError, type Workspace } from '@agent-workspace/core';
import { LocalWorkspace } from '@agent-workspace/local';
import { fixtureServer, TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it, vi } from 'vitest';
import type { OpenContext } from '../src/index.ts';
import { ConnectedClient, textOf } from './support/connected-client.ts';

const SIX = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'];

/** An `open` that waits until it is let go. */
async function heldOpen(directory: TemporaryDirectory) {
  const asked = Promise.withResolvers<OpenContext>();
  const released = Promise.withResolvers<void>();
  const open = async (context: OpenContext): Promise<Workspace> => {
    asked.resolve(context);
    await released.promise;
    context.signal.throwIfAborted();
    return await LocalWorkspace.open({ workdir: directory.path, onEvent: context.onEvent });
  };
  return await Promise.resolve({ asked: asked.promise, release: () => released.resolve(), open });
}

describe('before the workspace has started', () => {
  it('answers initialize, tools/list, ping, prompts and resources, and starts nothing for them', async () => {
    await using connected = await ConnectedClient.connect();
    const { client } = connected;
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-workspace', title: 'Agent workspace' });
    expect(await connected.toolNames()).toStrictEqual(SIX);
    expect(await client.ping()).toStrictEqual({});
    expect(await client.listPrompts()).toStrictEqual({ prompts: [] });
    expect(await client.listResources()).toStrictEqual({ resources: [] });
    expect(await client.listResourceTemplates()).toStrictEqual({ resourceTemplates: [] });
    expect(connected.opened).toBe(0);
  });

  it('describes the six tools as the workspace does later, with a title and every annotation', async () => {
    await using connected = await ConnectedClient.connect();
    const before = (await connected.client.listTools()).tools;
    await connected.call('Glob', { pattern: '*' });
    expect((await connected.client.listTools()).tools).toStrictEqual(before);
    for (const { name, title, description, annotations } of before) {
      expect([name, title, description, annotations?.title]).toStrictEqual([name, title, description, title]);
      expect(
        Object.values(annotations ?? {})
          .map((value) => typeof value)
          .toSorted(),
      ).toStrictEqual([...Array.from({ length: 4 }, () => 'boolean'), 'string']);
    }
    const hints = Object.fromEntries(before.map(({ name, annotations = {} }) => [name, annotations]));
    expect(hints['Read']).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
    expect(hints['Write']).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(hints['Bash']).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  });

  it('answers while a start is under way, which all first calls share', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'a\n' });
    const { asked, release, open } = await heldOpen(directory);
    await using connected = await ConnectedClient.connect({ open });
    const calls = [connected.call('Glob', { pattern: '*.txt' }), connected.call('Read', { file_path: 'a.txt' })];
    await asked;
    expect(await connected.client.ping()).toStrictEqual({});
    expect(await connected.toolNames()).toStrictEqual(SIX);
    release();
    const [found, read] = await Promise.all(calls);
    expect([found && textOf(found), read && textOf(read)]).toStrictEqual([
      expect.stringContaining('a.txt'),
      expect.stringContaining('a'),
    ]);
    expect(connected.opened).toBe(1);
  });

  it('tells how the start goes where the client asked to be told', async () => {
    await using directory = await TemporaryDirectory.create();
    const { asked, release, open } = await heldOpen(directory);
    await using connected = await ConnectedClient.connect({ open });
    const news: (string | undefined)[] = [];
    const onprogress = ({ message }: { readonly message?: string | undefined }): void => void news.push(message);
    const call = connected.client.callTool({ name: 'Glob', arguments: { pattern: '*' } }, undefined, { onprogress });
    const { onEvent } = await asked;
    onEvent({ type: 'build-progressed', message: 'Step 1/9 : FROM python:3.12-slim' });
    await vi.waitFor(() => expect(news).toContain('Step 1/9 : FROM python:3.12-slim'), 20_000);
    release();
    await call;
  });

  it('starts when a client is there, where it is eager, and lists all that there is', async () => {
    const defaultMcps = [{ name: 'fixture', ...fixtureServer('echo') }];
    await using connected = await ConnectedClient.connect({ isEager: true, local: { defaultMcps } });
    expect(await connected.toolNames()).toStrictEqual(expect.arrayContaining([...SIX, 'fixture__echo']));
    expect(connected.opened).toBe(1);
  });

  it('lists what is known where an eager start fails', async () => {
    const open = (): Promise<Workspace> => Promise.reject(new Error('no such thing'));
    await using connected = await ConnectedClient.connect({ isEager: true, open });
    expect(await connected.toolNames()).toStrictEqual(SIX);
    await vi.waitFor(() => expect(connected.logs).toMatchObject([{ level: 'warning', data: 'no such thing' }]), 20_000);
  });

  it('gives up a start when the client goes', async () => {
    await using directory = await TemporaryDirectory.create();
    const aborted = Promise.withResolvers<unknown>();
    const open = async ({ signal }: OpenContext): Promise<Workspace> => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      await aborted.promise;
      signal.throwIfAborted();
      return await LocalWorkspace.open({ workdir: directory.path });
    };
    const connected = await ConnectedClient.connect({ open });
    const call = connected.call('Glob', { pattern: '*' }).catch((error: unknown) => error);
    await vi.waitFor(() => expect(connected.opened).toBe(1), 20_000);
    await connected[Symbol.asyncDispose]();
    expect(await aborted.promise).toMatchObject({ message: 'The connection was closed.' });
    expect(await call).toMatchObject({ message: expect.stringContaining('Connection closed') });
  });
});

describe('a start that fails', () => {
  it('is a result that says what to do, and the next call tries again', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'a\n' });
    let isThere = false;
    const open = async (): Promise<Workspace> => {
      if (!isThere) throw new DockerUnavailableError({ endpoint: 'unix:///nowhere', reason: 'nothing listens' });
      return await LocalWorkspace.open({ workdir: directory.path });
    };
    await using connected = await ConnectedClient.connect({ open });
    const failed = await connected.call('Read', { file_path: 'a.txt' });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toMatch(
      /^The workspace could not be started\. No Docker Engine answers at unix:\/\/\/nowhere: nothing listens\. Start it .*\nNothing was run\./u,
    );
    isThere = true;
    expect(textOf(await connected.call('Read', { file_path: 'a.txt' }))).toContain('a');
    expect(connected.opened).toBe(2);
  });

  it('follows on a workspace that is no longer alive', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'a\n' });
    const workspaces: Workspace[] = [];
    const open = async (): Promise<Workspace> => {
      const workspace = await LocalWorkspace.open({ workdir: directory.path });
      workspaces.push(workspace);
      return workspace;
    };
    await using connected = await ConnectedClient.connect({ open });
    await connected.call('Glob', { pattern: '*' });
    await workspaces[0]?.close();
    expect(textOf(await connected.call('Read', { file_path: 'a.txt' }))).toContain('a');
    expect(connected.opened).toBe(2);
  });
});

describe('the instructions', () => {
  it.each([
    { place: { kind: 'local', workdir: '/home/someone/projects/a-rather-long-name-of-a-project' } },
    { place: { kind: 'docker', workdir: '/workspace' }, isReadOnly: true, isLazy: true },
    {},
  ])('are under 2 KB and say where one is: %j', async (options) => {
    await using connected = await ConnectedClient.connect(options);
    const instructions = connected.client.getInstructions() ?? '';
    expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
    for (const part of [options.place?.kind, options.place?.workdir, 'Skill', 'Long results', 'next call']) {
      expect(instructions).toContain(part ?? '');
    }
  });
});
