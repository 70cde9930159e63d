import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHostDirectory, takeBackHostDirectory } from './host-directory.ts';

const run = promisify(execFile);
const NOBODY = 65_534;

describe('a directory of the host', () => {
  let place: string;

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'aw-host-directory-'));
  });

  afterEach(() => rm(place, { recursive: true, force: true }));

  it('is made with its parents, of which it tells', async () => {
    const path = join(place, 'a/b/c');
    const made = await makeHostDirectory(path, { mode: 0o700 });
    expect(made).toStrictEqual({ path, isNew: true, newParents: [join(place, 'a/b'), join(place, 'a')] });
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await makeHostDirectory(path)).toStrictEqual({ path, isNew: false, newParents: [] });
    expect(await makeHostDirectory(join(place, 'a/d'))).toMatchObject({ isNew: true, newParents: [] });
    expect(await makeHostDirectory('/')).toStrictEqual({ path: '/', isNew: false, newParents: [] });
  });

  it('is nothing that a file is in the way of', async () => {
    await writeFile(join(place, 'file'), '');
    await expect(makeHostDirectory(join(place, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeHostDirectory(join(place, 'file/below'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is new for one of those who make it at once', async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => makeHostDirectory(join(place, 'a/b'))));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it.each([true, false])(
    'is taken back with the parents that were made for it (withContent: %s)',
    async (withContent) => {
      const made = await makeHostDirectory(join(place, 'a/b/c'));
      await takeBackHostDirectory(made, { withContent });
      expect(await readdir(place)).toStrictEqual([]);
      await takeBackHostDirectory(made, { withContent });
    },
  );

  it.each([true, false])('leaves a parent that others are in by now (withContent: %s)', async (withContent) => {
    const made = await makeHostDirectory(join(place, 'data/a'));
    const other = await makeHostDirectory(join(place, 'data/b'));
    await writeFile(join(other.path, 'file'), 'of another workspace');
    await takeBackHostDirectory(made, { withContent });
    expect(await readdir(join(place, 'data'))).toStrictEqual(['b']);
    expect(await readdir(other.path)).toStrictEqual(['file']);
  });

  it('leaves what is in it, unless that is to go', async () => {
    const made = await makeHostDirectory(join(place, 'a/b'));
    await writeFile(join(made.path, 'file'), 'of the user');
    await takeBackHostDirectory(made, { withContent: false });
    expect(await readdir(made.path)).toStrictEqual(['file']);
    await takeBackHostDirectory(made, { withContent: true });
    expect(await readdir(place)).toStrictEqual([]);
  });

  it('is taken back with directories in it that may not be written', async () => {
    await chmod(place, 0o755);
    if (process.getuid?.() === 0) await chown(place, NOBODY, NOBODY);
    const source = new URL('./host-directory.ts', import.meta.url).href;
    const program = `
      import { chmodSync, mkdirSync } from 'node:fs';
      import { makeHostDirectory, takeBackHostDirectory } from ${JSON.stringify(source)};
      // To root everything may be written.
      if (process.getuid() === 0) process.setuid(${NOBODY});
      const made = await makeHostDirectory(${JSON.stringify(join(place, 'a'))});
      mkdirSync(made.path + '/package/src', { recursive: true });
      chmodSync(made.path + '/package', 0o555);
      await takeBackHostDirectory(made, { withContent: true });`;
    await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(await readdir(place)).toStrictEqual([]);
  });

  it('leaves what was there before', async () => {
    await mkdir(join(place, 'mine'));
    const found = await makeHostDirectory(join(place, 'mine'));
    await writeFile(join(found.path, 'file'), 'mine');
    await takeBackHostDirectory(found, { withContent: true });
    await rm(join(found.path, 'file'));
    await takeBackHostDirectory(found, { withContent: true });
    expect(await readdir(place)).toStrictEqual(['mine']);
  });
});
