import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../../local-backend.ts';

let root: string;
let workdir: string;
let records: string;
let backend: LocalBackend;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'aw-index-files-')));
  workdir = join(root, 'workspace');
  records = join(workdir, '.workspace/records');
  mkdirSync(workdir);
  backend = new LocalBackend({ workdir, roots: [join(root, 'other')] });
});

afterEach(async () => {
  await backend.close();
  await rm(root, { recursive: true });
});

async function append(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await backend.appendRecord(path, ['{"id":"1"}'], { skipExisting: true });
}

/** The index files that there are, by their path in `.workspace/records`. */
function indexes(): readonly string[] {
  return readdirSync(records, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.keys'))
    .toSorted();
}

describe('the index of a file', () => {
  it('has the path of the file', async () => {
    await append('sessions/s/context.jsonl', 'log', join(workdir, 'a/b/c'));
    expect(indexes()).toEqual(['a/b/c.keys', 'log.keys', 'sessions/s/context.jsonl.keys']);
  });

  it('has a hash for a name where it cannot have the path', async () => {
    const deep = Array.from({ length: 9 }, () => 'd'.repeat(120)).join('/');
    await append('log', 'log.keys/log', 'n'.repeat(255), `${deep}/log`, join(root, 'other/log'));
    expect(indexes()).toHaveLength(5);
    expect(indexes().filter((name) => /^[0-9a-f]{64}\.keys$/.test(name))).toHaveLength(4);
    for (const path of ['log', 'log.keys/log', 'n'.repeat(255), `${deep}/log`, join(root, 'other/log')])
      expect((await backend.appendRecord(path, ['{"id":"1"}'], { skipExisting: true })).appended).toBe(0);
  });

  it('goes with the file, also with one of a long name', async () => {
    await append('s/log', 's/other', 'n'.repeat(255));
    await backend.remove('s/log');
    expect(indexes()).toContain('s/other.keys');
    await backend.remove('n'.repeat(255));
    expect(indexes()).toEqual(['s/other.keys']);
  });

  it('goes with the directory that the file is in', async () => {
    await append('sessions/s/context.jsonl', 'sessions/s/deep/er/log', 'sessions/t/context.jsonl', 'sessions/s.jsonl');
    await backend.remove('sessions/s', { recursive: true });
    expect(readdirSync(join(records, 'sessions'))).toEqual(['s.jsonl.keys', 't']);
    await backend.remove('sessions', { recursive: true });
    expect(readdirSync(records)).toEqual([]);
  });

  it('goes where the file is moved away', async () => {
    await append('log', 'd/log', 'd/e/log', 'kept');
    await backend.rename('log', 'log2');
    await backend.rename('d', 'f');
    expect(indexes()).toEqual(['kept.keys']);
    const again = await backend.appendRecord('f/log', ['{"id":"1"}'], { skipExisting: true });
    expect(again.appended).toBe(0);
  });

  it('goes also with what someone else removed before', async () => {
    await append('s/log');
    await rm(join(workdir, 's'), { recursive: true });
    await backend.remove('s', { recursive: true });
    expect(readdirSync(records)).toEqual([]);
  });

  it('stays where the file could not be removed', async () => {
    await append('s/log');
    await expect(backend.remove('s')).rejects.toMatchObject({ code: 'io-failed' });
    await expect(backend.rename('s', 'missing/s')).rejects.toMatchObject({ code: 'file-not-found' });
    expect(indexes()).toEqual(['s/log.keys']);
  });

  it.each([
    ['records', () => records],
    ['a directory in it', () => join(records, 'a')],
  ])('is not looked for through a link at %s', async (_, place) => {
    const elsewhere = join(workdir, 'elsewhere');
    for (const path of ['a/s', 's']) mkdirSync(join(elsewhere, path), { recursive: true });
    for (const path of ['a/s/notes', 's/notes', 'a/s.keys']) writeFileSync(join(elsewhere, path), 'kept');
    mkdirSync(join(workdir, 'a/s'), { recursive: true });
    mkdirSync(join(place(), '..'), { recursive: true });
    symlinkSync(elsewhere, place());
    await backend.remove('a/s', { recursive: true });
    for (const path of ['a/s/notes', 's/notes', 'a/s.keys']) expect(existsSync(join(elsewhere, path))).toBe(true);
  });

  it('leaves what a link in its place leads to', async () => {
    mkdirSync(join(workdir, 'elsewhere'));
    mkdirSync(records, { recursive: true });
    writeFileSync(join(workdir, 'elsewhere/notes'), 'kept');
    symlinkSync(join(workdir, 'elsewhere'), join(records, 's'));
    mkdirSync(join(workdir, 's'));
    await backend.remove('s');
    expect([readdirSync(records), readdirSync(join(workdir, 'elsewhere'))]).toEqual([[], ['notes']]);
  });

  it('is left alone by what is removed inside of .workspace, or outside of the workdir', async () => {
    await append('log');
    mkdirSync(join(records, '.workspace/state'), { recursive: true });
    mkdirSync(join(records, 'other'));
    await backend.writeFile('.workspace/state', 'x');
    await backend.remove('.workspace/state');
    await backend.writeFile(join(root, 'other/file'), 'x');
    await backend.remove(join(root, 'other'), { recursive: true });
    expect(readdirSync(records).toSorted()).toEqual(['.workspace', 'log.keys', 'other']);
    expect(readdirSync(join(records, '.workspace'))).toEqual(['state']);
  });
});
