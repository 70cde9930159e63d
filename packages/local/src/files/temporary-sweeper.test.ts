import {
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, readProcessNow } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../local-backend.ts';
import { asideName, ownerOf, temporaryName, temporaryOwner, UNKNOWN } from './temporary-name.ts';
import { TemporarySweeper } from './temporary-sweeper.ts';

const NO_PID = 2 ** 29 - 1;
const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

let directory: string;
let logged: string[];
let logger: Logger;

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'aw-sweeper-')));
  logged = [];
  const log =
    (level: string) =>
    (message: string): void =>
      void logged.push(`${level}: ${message}`);
  logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** A name as a process of that machine, pid and start time gives it. */
function nameOf(machine: string, pid: number, startTime: string): string {
  return `.aw-tmp-${machine}-${pid}-${startTime}-00ff00ff00ff00ff`;
}

/** Named by a process that runs no more, and, where the system cannot tell that at once, long ago. */
function makeAbandoned(parent: string, make: (path: string) => void): string {
  const { machine, startTime } = temporaryOwner();
  const name = nameOf(machine, NO_PID, startTime);
  make(join(parent, name));
  if (machine === UNKNOWN) age(join(parent, name));
  return name;
}

function age(path: string): void {
  const then = (Date.now() - TWO_HOURS_MS) / 1000;
  lutimesSync(path, then, then);
}

function touch(name: string): string {
  writeFileSync(join(directory, name), name);
  return name;
}

async function sweep(): Promise<readonly string[]> {
  const sweeper = new TemporarySweeper(logger);
  sweeper.visit(directory);
  await sweeper.settle();
  return readdirSync(directory);
}

describe('temporaryName', () => {
  it('says whose it is', () => {
    expect(ownerOf(temporaryName())).toEqual(temporaryOwner());
    expect(temporaryOwner().pid).toBe(process.pid);
    expect(new Set(Array.from({ length: 100 }, temporaryName)).size).toBe(100);
  });

  it.each(['.aw-tmp-', '.aw-tmp-notes', '.aw-tmp-00-1-2', '.aw-tmp-00-0-2-ff', '.aw-tmp-00-1-2-ff-x', asideName()])(
    'sees no owner in %s',
    (name) => expect(ownerOf(name)).toBeUndefined(),
  );
});

describe('TemporarySweeper', () => {
  it('removes the file and the tree of a process that runs no more', async () => {
    const name = makeAbandoned(directory, (path) => mkdirSync(join(path, 'a/b'), { recursive: true }));
    writeFileSync(join(directory, name, 'a/b/file'), 'x');
    mkdirSync(join(directory, 'other'));
    makeAbandoned(join(directory, 'other'), (path) => writeFileSync(path, 'x'));
    expect(await sweep()).toEqual(['other']);
    const sweeper = new TemporarySweeper(logger);
    sweeper.visit(join(directory, 'other'));
    await sweeper.settle();
    expect(readdirSync(join(directory, 'other'))).toEqual([]);
    expect(logged).toEqual(Array.from({ length: 2 }, () => 'debug: Removed what a killed process left behind.'));
  });

  it('tells this process from an earlier one of its pid, where the system does', async () => {
    const { machine, pid } = temporaryOwner();
    const earlier = touch(nameOf(machine, pid, '1'));
    expect(await sweep()).toEqual(machine === UNKNOWN ? [earlier] : []);
  });

  it('leaves what this process and others that run are working on, however old', async () => {
    const { machine } = temporaryOwner();
    const parent = nameOf(machine, process.ppid, readProcessNow(process.ppid)?.startTime ?? UNKNOWN);
    const kept = [temporaryName(), parent, nameOf(UNKNOWN, process.pid, UNKNOWN)].map(touch);
    for (const name of kept) age(join(directory, name));
    expect(await sweep()).toEqual(kept.toSorted());
  });

  it('goes by the age of what comes from another machine, or from one that is not known', async () => {
    const young = ['abcdef', UNKNOWN].map((machine) => touch(nameOf(machine, NO_PID, '5')));
    const old = ['fedcba', '0'].map((machine) => touch(nameOf(machine, NO_PID - 1, '5')));
    for (const name of old) age(join(directory, name));
    expect(await sweep()).toEqual(young.toSorted());
  });

  it('leaves what is named otherwise, and what a tree was about to replace', async () => {
    const kept = ['.aw-tmp-notes', '.aw-tmp', 'file', asideName()].map(touch);
    for (const name of kept) age(join(directory, name));
    expect(await sweep()).toEqual(kept.toSorted());
  });

  it('removes links and nothing that they lead to', async () => {
    mkdirSync(join(directory, 'kept'));
    writeFileSync(join(directory, 'kept/file'), 'kept');
    const { machine, startTime } = temporaryOwner();
    const [link, tree] = [nameOf(machine, NO_PID, startTime), nameOf(machine, NO_PID - 1, startTime)];
    symlinkSync(join(directory, 'kept'), join(directory, link));
    mkdirSync(join(directory, tree));
    symlinkSync(join(directory, 'kept'), join(directory, tree, 'link'));
    for (const name of [link, tree]) age(join(directory, name));
    expect(await sweep()).toEqual(['kept']);
    expect(readFileSync(join(directory, 'kept/file'), 'utf8')).toBe('kept');
  });

  it('leaves what belongs to another user', async () => {
    const name = makeAbandoned(directory, (path) => writeFileSync(path, 'x'));
    const isRoot = process.geteuid?.() === 0;
    const { uid, gid } = statSync(join(directory, name));
    chownSync(join(directory, name), isRoot ? 12_345 : uid, gid);
    expect(await sweep()).toEqual(isRoot ? [name] : []);
  });

  it('looks into a directory once', async () => {
    const sweeper = new TemporarySweeper(logger);
    sweeper.visit(directory);
    await sweeper.settle();
    const name = makeAbandoned(directory, (path) => writeFileSync(path, 'x'));
    sweeper.visit(directory);
    await sweeper.settle();
    expect(readdirSync(directory)).toEqual([name]);
  });

  it('says what it could not look into, and fails nothing', async () => {
    const sweeper = new TemporarySweeper(logger);
    sweeper.visit(join(directory, 'missing'));
    await sweeper.settle();
    expect(logged).toEqual(['debug: A directory was not searched for what killed processes left behind.']);
  });

  it('clears up after each kind of write of a backend, before that is closed', async () => {
    const backend = new LocalBackend({ workdir: directory });
    const places = ['file', 'stream', 'tree', 'copy', 'log', '.workspace/records/log'];
    for (const place of places) {
      mkdirSync(join(directory, place), { recursive: true });
      makeAbandoned(join(directory, place), (path) => writeFileSync(path, 'x'));
    }
    await backend.writeFile('file/a', 'x');
    await backend.writeStream('stream/a', new Blob(['x']).stream());
    await backend.writeTree('tree/a', []);
    await backend.copyTree('tree/a', 'copy/a');
    await backend.appendRecord('log/a', ['x'], { skipExisting: true });
    await backend.close();
    expect(places.map((place) => readdirSync(join(directory, place)))).toEqual([
      ...Array.from({ length: 5 }, () => ['a']),
      ['a.keys'],
    ]);
  });

  it('is not started by a write that fails', async () => {
    const backend = new LocalBackend({ workdir: directory });
    const name = makeAbandoned(directory, (path) => writeFileSync(path, 'x'));
    touch('a');
    await expect(backend.writeFile('a', 'x', { isExclusive: true })).rejects.toMatchObject({ code: 'file-exists' });
    await backend.close();
    expect(existsSync(join(directory, name))).toBe(true);
  });
});
