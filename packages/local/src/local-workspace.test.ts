import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type StartedBackend, WorkdirInvalidError } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalWorkspace } from './local-workspace.ts';

const run = promisify(execFile);
const NOBODY = 65_534;

describe('LocalWorkspace', () => {
  let place: string;

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'agent-workspace-local-'));
  });

  afterEach(async () => {
    await chmod(join(place, 'closed'), 0o700).catch(() => undefined);
    await rm(place, { recursive: true, force: true });
  });

  it('makes its directory, with the parents', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: join(place, 'a/b') });
    expect(workspace.workdir).toBe(join(place, 'a/b'));
    expect(await readdir(workspace.workdir)).toEqual(['.workspace']);
  });

  it('takes a relative directory from the current one', async () => {
    const name = `relative-${process.pid}`;
    await using workspace = new LocalWorkspace({ workdir: join('node_modules/.cache', name) });
    await workspace.initialize();
    expect(workspace.workdir).toBe(join(process.cwd(), 'node_modules/.cache', name));
    await workspace.destroy();
    await expect(stat(workspace.workdir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each(['file', 'file/below'])('refuses %s for a directory, and says so', async (path) => {
    await writeFile(join(place, 'file'), 'content');
    const opening = LocalWorkspace.open({ workdir: join(place, path) });
    await expect(opening).rejects.toThrow(WorkdirInvalidError);
    await expect(opening).rejects.toMatchObject({
      details: { workdir: join(place, path), reason: 'not-a-directory' },
      message: expect.stringContaining('Give the path of a directory'),
    });
  });

  it('refuses a directory that is closed to its user', async () => {
    await chmod(place, 0o755);
    await mkdir(join(place, 'closed'), { mode: 0o500 });
    const source = new URL('./local-workspace.ts', import.meta.url).href;
    const program = `
      import { LocalWorkspace } from ${JSON.stringify(source)};
      // Nothing is closed to root.
      if (process.getuid() === 0) process.setuid(${NOBODY});
      await LocalWorkspace.open({ workdir: ${JSON.stringify(join(place, 'closed'))} }).catch((error) => console.log(error.code, error.details.reason));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('workdir-invalid permission-denied\n');
  });

  it('removes what it made when it is given up, and only that', async () => {
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(LocalWorkspace.open({ workdir: join(place, 'new/deep'), signal })).rejects.toThrow('given up');
    expect(await readdir(place)).toEqual([]);

    await writeFile(join(place, 'mine.txt'), 'mine');
    await expect(LocalWorkspace.open({ workdir: place, signal })).rejects.toThrow('given up');
    expect(await readdir(place)).toContain('mine.txt');
    await using workspace = await LocalWorkspace.open({ workdir: place });
    expect(workspace.status).toBe('ready');
  });

  it('removes what a link leads to that is its directory, and the link', async () => {
    await mkdir(join(place, 'disk'));
    await symlink(join(place, 'disk'), join(place, 'link'));
    const workspace = await LocalWorkspace.open({ workdir: join(place, 'link') });
    await workspace.backend.writeFile('a/b.txt', 'b');
    await workspace.destroy();
    expect(await readdir(place)).toEqual([]);
    await workspace.destroy();
  });

  it('removes nothing that a link leads to which it was not opened by', async () => {
    await mkdir(join(place, 'other/kept'), { recursive: true });
    const workdir = join(place, 'workspace');
    const workspace = await LocalWorkspace.open({ workdir });
    await rename(workdir, join(place, 'moved'));
    await symlink(join(place, 'other'), workdir);
    const unopened = new LocalWorkspace({ workdir });
    await expect(unopened.destroy()).rejects.toMatchObject({ code: 'workdir-invalid', details: { reason: 'link' } });
    await workspace.destroy();
    expect((await readdir(place)).toSorted()).toEqual(['moved', 'other']);
    expect(await readdir(join(place, 'other'))).toEqual(['kept']);
  });

  it('removes directories that may not be written, and says which it may not remove', async () => {
    const source = new URL('./local-workspace.ts', import.meta.url).href;
    await chmod(place, 0o755);
    await mkdir(join(place, 'parent'));
    for (const path of [place, join(place, 'parent')]) if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY);
    const program = `
      import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
      import { LocalWorkspace } from ${JSON.stringify(source)};
      // To root everything may be written.
      if (process.getuid() === 0) process.setuid(${NOBODY});
      process.chdir(${JSON.stringify(place)});
      for (const workdir of ['open', 'parent/closed']) {
        const workspace = await LocalWorkspace.open({ workdir });
        mkdirSync(workdir + '/package/src', { recursive: true });
        writeFileSync(workdir + '/package/src/index.js', '');
        chmodSync(workdir + '/package/src', 0o555);
        chmodSync('parent', 0o555);
        const said = await workspace.destroy().then(() => 'removed', (error) => error.code);
        chmodSync('parent', 0o755);
        console.log(said, existsSync(workdir));
      }`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('removed false\npermission-denied true\n');
  });

  it('leaves the directory above to the workspaces that are there when it is given up', async () => {
    const giveUp = new AbortController();
    class Late extends LocalWorkspace {
      protected override async startBackend(): Promise<StartedBackend> {
        const started = await super.startBackend();
        await using other = await LocalWorkspace.open({ workdir: join(place, 'data/b'), workspaceId: 'other' });
        expect(other.status).toBe('ready');
        giveUp.abort(new Error('given up'));
        return started;
      }
    }
    const late = new Late({ workdir: join(place, 'data/a') });
    await expect(late.initialize({ signal: giveUp.signal })).rejects.toThrow('given up');
    expect(await readdir(join(place, 'data'))).toEqual(['b']);
    await using other = await LocalWorkspace.open({ workdir: join(place, 'data/b') });
    expect(other.workspaceId).toBe('other');
  });

  it('refuses a state file that it cannot read, and leaves it', async () => {
    await mkdir(join(place, '.workspace'));
    await writeFile(join(place, '.workspace/state.json'), '{');
    await expect(LocalWorkspace.open({ workdir: place })).rejects.toMatchObject({
      code: 'state-file-invalid',
      details: { path: join(place, '.workspace/state.json') },
    });
    expect(await readdir(join(place, '.workspace'))).toEqual(['state.json']);
  });

  it('keeps the id of the directory, and takes another one that it is given', async () => {
    const first = await LocalWorkspace.open({ workdir: place });
    await first.close();
    const second = await LocalWorkspace.open({ workdir: place });
    expect(second.workspaceId).toBe(first.workspaceId);
    await second.close();
    const third = await LocalWorkspace.open({ workdir: place, workspaceId: 'mine' });
    await third.close();
    const fourth = await LocalWorkspace.open({ workdir: place });
    expect(fourth.workspaceId).toBe('mine');
    await fourth.close();
    expect(() => new LocalWorkspace({ workdir: place, workspaceId: '' })).toThrow('it is empty');
  });

  it('gives commands the variables of its options', async () => {
    await using workspace = await LocalWorkspace.open({ workdir: place, env: { PROJECT: 'x y' } });
    const { stdout } = await workspace.backend.exec(['sh', '-c', 'echo "$PROJECT"']);
    expect(Buffer.from(stdout.head).toString()).toBe('x y\n');
  });
});
