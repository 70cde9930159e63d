import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess, type UnaryAnswer } from './support/envd-process.ts';
import { NODES } from './support/nodes.ts';

describe.each(NODES)('filesystem.Filesystem on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const call = (method: string, request: object): Promise<UnaryAnswer> =>
    envd.unary(`filesystem.Filesystem/${method}`, request);
  const failure = (code: string, message: string): object => ({ code, message });
  const me = userInfo().username;
  const myGroup = execFileSync('id', ['-gn']).toString().trim();
  const inHome = (...names: string[]): string => join(envd.home, ...names);

  describe('Stat', () => {
    it('tells of a file field by field, with nanoseconds and the size as a string', async () => {
      const path = inHome('a b ü.txt');
      await writeFile(path, 'hello');
      await chmod(path, 0o640);
      await utimes(path, 1_767_323_045, 1_767_323_045.25);
      const { status, body } = await call('Stat', { path: 'a b ü.txt' });
      expect([status, body]).toEqual([
        200,
        {
          entry: {
            name: 'a b ü.txt',
            type: 'FILE_TYPE_FILE',
            path,
            size: '5',
            mode: 0o640,
            permissions: '-rw-r-----',
            owner: me,
            group: myGroup,
            modifiedTime: '2026-01-02T03:04:05.250Z',
          },
        },
      ]);
    });

    it('leaves out what is zero', async () => {
      await writeFile(inHome('empty'), '');
      await chmod(inHome('empty'), 0);
      const { body } = await call('Stat', { path: inHome('empty') });
      expect(body).toEqual({
        entry: {
          name: 'empty',
          type: 'FILE_TYPE_FILE',
          path: inHome('empty'),
          permissions: '----------',
          owner: me,
          group: myGroup,
          modifiedTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d{3}){1,3})?Z$/),
        },
      });
    });

    it.each([
      [
        'to-file',
        'target',
        { type: 'FILE_TYPE_FILE', mode: 0o600, permissions: 'Lrwxrwxrwx', symlinkTarget: 'target' },
      ],
      ['to-directory', 'dir', { type: 'FILE_TYPE_DIRECTORY', mode: 0o755, symlinkTarget: 'dir' }],
    ])('takes type and mode of what the link %s leads to', async (name, target, expected) => {
      await writeFile(inHome('target'), 'x');
      await chmod(inHome('target'), 0o600);
      await mkdir(inHome('dir'), 0o755);
      await symlink(target, inHome(name));
      const { body } = await call('Stat', { path: name });
      expect(body).toMatchObject({
        entry: { ...expected, name, path: inHome(name), symlinkTarget: inHome(expected.symlinkTarget) },
      });
    });

    it('has no type for a link that leads nowhere, whose target is the link itself', async () => {
      await symlink('nowhere', inHome('dangling'));
      const { body } = await call('Stat', { path: 'dangling' });
      const { entry } = body as { readonly entry: object };
      expect(entry).toMatchObject({ name: 'dangling', symlinkTarget: inHome('dangling'), permissions: 'Lrwxrwxrwx' });
      expect(Object.keys(entry)).not.toContain('type');
      expect(Object.keys(entry)).not.toContain('mode');
    });

    it.each([
      ['nothing', 404, 'not_found', 'file not found: lstat HOME/nothing: no such file or directory'],
      ['file/below', 500, 'internal', 'error getting file info: lstat HOME/file/below: not a directory'],
      ['~root/x', 400, 'invalid_argument', 'cannot expand user-specific home dir'],
    ])('refuses %s with %d', async (path, status, code, message) => {
      await writeFile(inHome('file'), '');
      const answer = await call('Stat', { path });
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({ code, message: expect.stringContaining(message.replace('HOME', envd.home)) });
    });
  });

  describe('ListDir', () => {
    const pathsOf = ({ body }: UnaryAnswer): string[] =>
      ((body as { readonly entries?: { readonly path: string }[] }).entries ?? []).map(({ path }) => path);

    beforeEach(async () => {
      await mkdir(inHome('t', 'b', 'deep', 'deeper'), { recursive: true });
      await writeFile(inHome('t', 'a.txt'), '');
      await writeFile(inHome('t', 'b', 'in-b'), '');
      await writeFile(inHome('t', 'B'), '');
      await symlink('b', inHome('t', 'link'));
      await symlink('loop', inHome('t', 'loop'));
    });

    it.each([
      [undefined, ['B', 'a.txt', 'b', 'link', 'loop']],
      [0, ['B', 'a.txt', 'b', 'link', 'loop']],
      [1, ['B', 'a.txt', 'b', 'link', 'loop']],
      [2, ['B', 'a.txt', 'b', 'b/deep', 'b/in-b', 'link', 'loop']],
      [9, ['B', 'a.txt', 'b', 'b/deep', 'b/deep/deeper', 'b/in-b', 'link', 'loop']],
    ])('lists %s levels, each directory before what is in it, by name', async (depth, names) => {
      const answer = await call('ListDir', { path: 't', ...(depth !== undefined && { depth }) });
      expect(pathsOf(answer)).toEqual(names.map((name) => inHome('t', name)));
    });

    it('follows a link at the path itself, and tells paths under the link', async () => {
      expect(pathsOf(await call('ListDir', { path: 't/link' }))).toEqual([
        inHome('t', 'link', 'deep'),
        inHome('t', 'link', 'in-b'),
      ]);
    });

    it('answers with nothing for an empty directory', async () => {
      expect((await call('ListDir', { path: 't/b/deep/deeper' })).body).toEqual({});
    });

    it.each([
      ['t/none', 404, 'not_found', 'path not found: lstat HOME/t/none: no such file or directory'],
      ['t/a.txt', 400, 'invalid_argument', 'path is not a directory: HOME/t/a.txt'],
      ['t/loop', 400, 'failed_precondition', 'cyclic symlink or chain >255 links at "HOME/t/loop"'],
    ])('refuses %s with %d %s', async (path, status, code, message) => {
      const answer = await call('ListDir', { path });
      expect([answer.status, answer.body]).toEqual([status, failure(code, message.replace('HOME', envd.home))]);
    });

    it('refuses a depth that is no number', async () => {
      const answer = await call('ListDir', { path: 't', depth: 'x' });
      expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ code: 'invalid_argument' })]);
    });
  });

  describe('MakeDir', () => {
    it('makes parents, 0755', async () => {
      const { status, body } = await call('MakeDir', { path: 'x/y z/ü' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        entry: { name: 'ü', type: 'FILE_TYPE_DIRECTORY', path: inHome('x', 'y z', 'ü'), mode: 0o755, owner: me },
      });
      expect((await stat(inHome('x'))).mode & 0o777).toBe(0o755);
    });

    it.each([
      ['', 409, 'already_exists', 'directory already exists: HOME'],
      ['file', 400, 'invalid_argument', 'path already exists but it is not a directory: HOME/file'],
      ['file/x', 500, 'internal', 'error getting file info: stat HOME/file/x: not a directory'],
    ])('refuses "%s" with %d %s', async (path, status, code, message) => {
      await writeFile(inHome('file'), '');
      const answer = await call('MakeDir', { path });
      expect([answer.status, answer.body]).toEqual([status, failure(code, message.replace('HOME', envd.home))]);
    });
  });

  describe('Move', () => {
    it('makes directories above the destination, and overwrites a file', async () => {
      await writeFile(inHome('from'), 'new');
      await mkdir(inHome('to'));
      await writeFile(inHome('to', 'file'), 'old');
      const over = await call('Move', { source: 'from', destination: 'to/file' });
      expect(over.body).toMatchObject({ entry: { name: 'file', path: inHome('to', 'file'), size: '3' } });
      await call('Move', { source: 'to', destination: 'far/away' });
      expect(await readFile(inHome('far', 'away', 'file'), 'utf8')).toBe('new');
    });

    it('refuses a source that is not there, and a directory at the destination', async () => {
      await mkdir(inHome('dir'));
      await writeFile(inHome('file'), '');
      const [from, to] = [inHome('none'), inHome('there')];
      const missing = `source file not found: rename ${from} ${to}: no such file or directory`;
      expect(await call('Move', { source: from, destination: to })).toMatchObject({
        status: 404,
        body: failure('not_found', missing),
      });
      expect(await call('Move', { source: 'file', destination: 'file/below' })).toMatchObject({
        status: 500,
        body: failure('internal', `path is a file: ${inHome('file')}`),
      });
      const taken = `error renaming: rename ${inHome('file')} ${inHome('dir')}: file exists`;
      expect(await call('Move', { source: 'file', destination: 'dir' })).toMatchObject({
        status: 500,
        body: failure('internal', taken),
      });
    });
  });

  it('Remove: takes a tree, and says nothing where there is nothing', async () => {
    await mkdir(inHome('tree', 'below'), { recursive: true });
    expect(await call('Remove', { path: 'tree' })).toMatchObject({ status: 200, body: {} });
    await expect(stat(inHome('tree'))).rejects.toThrow('ENOENT');
    expect(await call('Remove', { path: 'tree' })).toMatchObject({ status: 200, body: {} });
  });

  it('acts for the user of the request, and refuses one that is not there', async () => {
    const answer = await envd.unary('filesystem.Filesystem/Stat', { path: '' }, { user: 'nobody-at-all' });
    expect([answer.status, answer.body]).toEqual([401, expect.objectContaining({ code: 'unauthenticated' })]);
  });

  describe('polled watchers', () => {
    it('keeps events until they are fetched', async () => {
      const { body } = await call('CreateWatcher', { path: '', recursive: true });
      const { watcherId } = body as { readonly watcherId: string };
      expect(watcherId).toMatch(/^w[0-9a-z]{20}$/);
      await mkdir(inHome('sub'));
      const events: unknown[] = [];
      const fetchEvents = async (): Promise<unknown[]> => {
        const answer = await call('GetWatcherEvents', { watcherId });
        events.push(...((answer.body as { readonly events?: unknown[] }).events ?? []));
        return events;
      };
      await expect.poll(fetchEvents).toEqual([{ name: 'sub', type: 'EVENT_TYPE_CREATE' }]);
      await writeFile(inHome('sub', 'f'), 'x');
      await rm(inHome('sub', 'f'));
      await expect.poll(fetchEvents).toEqual([
        { name: 'sub', type: 'EVENT_TYPE_CREATE' },
        { name: 'sub/f', type: 'EVENT_TYPE_CREATE' },
        { name: 'sub/f', type: 'EVENT_TYPE_WRITE' },
        { name: 'sub/f', type: 'EVENT_TYPE_REMOVE' },
      ]);
      expect(await call('RemoveWatcher', { watcherId })).toMatchObject({ status: 200, body: {} });
      expect(await call('GetWatcherEvents', { watcherId })).toMatchObject({
        status: 404,
        body: failure('not_found', `watcher with id ${watcherId} not found`),
      });
    });
  });
});
