import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from './local-backend.ts';

let directory: string;
let workdir: string;
const isRoot = process.geteuid?.() === 0;

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'aw-local-')));
  workdir = join(directory, 'workspace');
  mkdirSync(workdir);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

describe('LocalBackend', () => {
  it('is local, without anything beyond the contract, and touches nothing until it is used', () => {
    const missing = join(directory, 'not-made-yet');
    const backend = new LocalBackend({ workdir: missing, roots: [join(directory, 'shared')] });
    expect(backend.kind).toBe('local');
    expect(backend.workdir).toBe(missing);
    expect(backend.roots).toEqual([missing, join(directory, 'shared')]);
    expect(backend.capabilities).toEqual({ pty: false, ports: false, watch: false, snapshot: false });
    expect(existsSync(missing)).toBe(false);
  });

  it('has no border where it runs inside of a sandbox', async () => {
    mkdirSync(join(directory, 'outside'));
    symlinkSync(join(directory, 'outside'), join(workdir, 'link'));
    const backend = new LocalBackend({ workdir, roots: null, kind: 'docker' });
    expect([backend.kind, backend.roots]).toEqual(['docker', null]);
    await backend.writeFile('link/a.txt', 'a');
    expect(readdirSync(join(directory, 'outside'))).toEqual(['a.txt']);
  });

  it('lets links lead from one root into another', async () => {
    mkdirSync(join(directory, 'shared'));
    symlinkSync(join(directory, 'shared'), join(workdir, 'link'));
    await new LocalBackend({ workdir, roots: [join(directory, 'shared')] }).writeFile('link/a.txt', 'a');
    expect(readdirSync(join(directory, 'shared'))).toEqual(['a.txt']);
    const confined = new LocalBackend({ workdir }).writeFile('link/b.txt', 'b');
    await expect(confined).rejects.toMatchObject({
      code: 'path-outside-root',
      details: { path: join(workdir, 'link/b.txt'), realPath: join(directory, 'shared/b.txt'), roots: [workdir] },
    });
  });

  it('takes a workdir that is a link itself', async () => {
    symlinkSync(workdir, join(directory, 'alias'));
    const backend = new LocalBackend({ workdir: join(directory, 'alias') });
    await backend.writeFile('a/b.txt', 'hit');
    expect((await backend.glob({ pattern: '**/*' })).paths).toEqual([join(directory, 'alias/a/b.txt')]);
    expect(await backend.realPath('a/b.txt')).toBe(join(workdir, 'a/b.txt'));
    await backend.remove('a', { recursive: true });
    expect(readdirSync(workdir)).toEqual([]);
  });

  it('leaves paths that are written outside of the roots to its caller', async () => {
    const backend = new LocalBackend({ workdir });
    await backend.writeFile(join(directory, 'skills/a/SKILL.md'), 'x');
    expect((await backend.readTree(join(directory, 'skills'))).map(({ path }) => path)).toEqual(['a', 'a/SKILL.md']);
  });

  it('keeps the owner of a file that is not ours by writing it in place', async () => {
    const file = join(workdir, 'theirs');
    writeFileSync(file, 'old', { mode: 0o644 });
    const owner = isRoot ? 12_345 : statSync(file).uid;
    chownSync(file, owner, statSync(file).gid);
    const { atomic } = await new LocalBackend({ workdir }).writeFile(file, 'new');
    expect([atomic, statSync(file).uid]).toEqual([!isRoot, owner]);
  });

  it('keeps the group of a file', async () => {
    const file = join(workdir, 'grouped');
    writeFileSync(file, 'old');
    const group = isRoot ? 12_345 : statSync(file).gid;
    chownSync(file, statSync(file).uid, group);
    expect((await new LocalBackend({ workdir }).writeFile(file, 'new')).atomic).toBe(true);
    expect(statSync(file).gid).toBe(group);
  });

  it('asks for the permission to write that a rename would not need', async () => {
    const file = join(workdir, 'protected');
    writeFileSync(file, 'old', { mode: 0o444 });
    const result = await new LocalBackend({ workdir }).writeFile(file, 'new').then(
      () => 'written',
      (error: { code?: string }) => error.code,
    );
    expect(result).toBe(isRoot ? 'written' : 'permission-denied');
  });

  it('writes into a directory that takes no new file, in place', async () => {
    const file = join(workdir, 'd/a');
    mkdirSync(join(workdir, 'd'));
    writeFileSync(file, 'old');
    chmodSync(join(workdir, 'd'), 0o555);
    const { atomic } = await new LocalBackend({ workdir }).writeFile(file, 'new');
    chmodSync(join(workdir, 'd'), 0o755);
    expect(atomic).toBe(isRoot);
    expect(readdirSync(join(workdir, 'd'))).toEqual(['a']);
  });

  it('removes a tree whose names are no text', async () => {
    mkdirSync(join(workdir, 't'));
    writeFileSync(Buffer.concat([Buffer.from(join(workdir, 't/')), Buffer.from([0xff, 0xfe])]), '');
    await new LocalBackend({ workdir }).remove('t', { recursive: true });
    expect(readdirSync(workdir)).toEqual([]);
  });

  it('removes a tree with directories that may not be written', async () => {
    mkdirSync(join(workdir, 't/a/b'), { recursive: true });
    writeFileSync(join(workdir, 't/a/b/f'), '');
    for (const path of ['t/a/b', 't/a']) chmodSync(join(workdir, path), 0o555);
    await new LocalBackend({ workdir }).remove('t', { recursive: true });
    expect(readdirSync(workdir)).toEqual([]);
  });

  it('leaves nothing of a copy that fails at a file that may not be read [S31]', async () => {
    mkdirSync(join(workdir, 't'));
    for (const name of ['a', 'z']) writeFileSync(join(workdir, 't', name), name);
    chmodSync(join(workdir, 't/z'), 0);
    const backend = new LocalBackend({ workdir });
    const copied = await backend.copyTree('t', 'u').then(
      () => 'copied',
      (error: { code?: string }) => error.code,
    );
    // The superuser may read it.
    expect([copied, readdirSync(workdir)]).toEqual(isRoot ? ['copied', ['t', 'u']] : ['permission-denied', ['t']]);
    chmodSync(join(workdir, 't/z'), 0o644);
    await backend.copyTree('t', 'u', { replace: true });
    expect(readdirSync(join(workdir, 'u'))).toEqual(['a', 'z']);
  });

  it('names in its errors the path and what was tried', async () => {
    const backend = new LocalBackend({ workdir });
    await expect(backend.readFile('no/such')).rejects.toMatchObject({
      code: 'file-not-found',
      details: { path: join(workdir, 'no/such') },
      cause: { code: 'ENOENT' },
    });
    mkdirSync(join(workdir, 'd/e'), { recursive: true });
    await expect(backend.remove('d')).rejects.toMatchObject({
      message: `Could not remove ${join(workdir, 'd')}: ENOTEMPTY.`,
    });
  });

  it('closes more than once', async () => {
    const backend = new LocalBackend({ workdir });
    await backend.close();
    await backend.close();
    expect(await backend.listBackground()).toEqual([]);
  });
});
