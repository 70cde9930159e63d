import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend } from '../src/local-backend.ts';

let parent: string;
let workdir: string;
let backend: LocalBackend;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'aw-search-'));
  workdir = join(parent, 'data', 'agent');
  mkdirSync(workdir, { recursive: true });
  backend = new LocalBackend({ workdir });
});

afterEach(async () => {
  await backend.close();
  await rm(parent, { recursive: true, force: true });
});

/** A program that is started in the place of ripgrep. */
function program(script: string): string {
  const path = join(parent, 'rg');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function searching(ripgrepPath: string): LocalBackend {
  return new LocalBackend({ workdir, ripgrepPath });
}

describe('search on this machine', () => {
  it('says what is missing where there is no ripgrep [T38]', async () => {
    writeFileSync(join(workdir, 'f'), 'hit');
    const unavailable = { code: 'search-unavailable', message: expect.stringContaining('ripgrepPath') };
    await expect(searching(join(parent, 'none')).glob({ pattern: '*' })).rejects.toMatchObject(unavailable);
    const notExecutable = join(workdir, 'f');
    await expect(searching(notExecutable).grep({ pattern: 'x', mode: 'lines' })).rejects.toMatchObject(unavailable);
    const old = program('echo "error: unrecognized flag --no-require-git" >&2; exit 2');
    await expect(searching(old).glob({ pattern: '*' })).rejects.toMatchObject(unavailable);
  });

  it('says so when ripgrep is killed or fails without a word', async () => {
    const killed = await searching(program('kill -9 $$')).glob({ pattern: '*' });
    expect(killed).toMatchObject({ paths: [], isIncomplete: true, problems: [expect.stringContaining('SIGKILL')] });
    const failed = await searching(program('exit 101')).glob({ pattern: '*' });
    expect(failed).toMatchObject({ isIncomplete: true, problems: ['ripgrep ended with exit status 101.'] });
  });

  it('names the files and directories that could not be read', async () => {
    for (const name of ['locked', 'open']) writeFileSync(join(workdir, name), 'hit\n');
    mkdirSync(join(workdir, 'closed'));
    chmodSync(join(workdir, 'locked'), 0);
    chmodSync(join(workdir, 'closed'), 0);
    chmodSync(parent, 0o755);
    // Nothing is locked to the superuser.
    const isRoot = process.geteuid?.() === 0;
    const asNobody = program(`exec setpriv --reuid=65534 --clear-groups -- '${rgPath}' "$@"`);
    const found = await searching(isRoot ? asNobody : rgPath).grep({ pattern: 'hit', mode: 'files' });
    chmodSync(join(workdir, 'closed'), 0o755);
    expect(found).toMatchObject({ paths: [join(workdir, 'open')], isIncomplete: true });
    expect(found.problems.toSorted()).toEqual([
      'closed: Permission denied (os error 13)',
      'locked: Permission denied (os error 13)',
    ]);
  });

  it('takes no ignore file from above the workdir, where the workspace itself may be ignored', async () => {
    spawnSync('git', ['init', '-q', parent]);
    writeFileSync(join(parent, '.gitignore'), 'data/**\n*.log\n');
    writeFileSync(join(parent, '.ignore'), '*\n');
    mkdirSync(join(workdir, 'sub'));
    for (const name of ['a.log', 'sub/b.log', 'sub/c.tmp']) writeFileSync(join(workdir, name), 'hit\n');
    writeFileSync(join(workdir, '.gitignore'), '*.tmp\n');
    const paths = async (path?: string): Promise<readonly string[]> =>
      (await backend.glob({ pattern: '**/*', path })).paths.map((found) => found.slice(workdir.length + 1));
    expect(await paths()).toEqual(['.gitignore', 'a.log', 'sub/b.log']);
    expect(await paths('sub')).toEqual(['sub/b.log']);
  });

  it('takes no configuration of the user’s', async () => {
    writeFileSync(join(workdir, 'f'), 'hit\n');
    const config = join(parent, 'ripgreprc');
    writeFileSync(config, '--files-without-match\n');
    process.env['RIPGREP_CONFIG_PATH'] = config;
    try {
      expect(await backend.grep({ pattern: 'hit', mode: 'files' })).toMatchObject({ paths: [join(workdir, 'f')] });
    } finally {
      delete process.env['RIPGREP_CONFIG_PATH'];
    }
  });

  it('searches a directory outside of the workdir, and leaves out the workspace’s own files in one around it', async () => {
    await backend.writeFile('.workspace/state.json', 'hit');
    await backend.writeFile('a', 'hit');
    writeFileSync(join(parent, 'b'), 'hit');
    const found = await backend.grep({ pattern: 'hit', mode: 'files', path: parent });
    expect(found).toMatchObject({ paths: [join(parent, 'b'), join(workdir, 'a')] });
    const own = await backend.grep({ pattern: 'hit', mode: 'files', path: '.workspace' });
    expect(own).toMatchObject({ paths: [join(workdir, '.workspace/state.json')] });
  });

  it('ends ripgrep when the caller gives up, and when the backend is closed', async () => {
    const slow = searching(program(`echo $$ > '${join(parent, 'pid')}'; exec sleep 60`));
    const controller = new AbortController();
    const aborted = slow.glob({ pattern: '*', signal: controller.signal });
    const closed = slow.grep({ pattern: 'x', mode: 'lines' });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'operation-aborted' });
    await slow.close();
    await expect(closed).rejects.toMatchObject({ code: 'operation-aborted' });
  });

  it('keeps little in memory of a result of 200,000 files [T31]', async () => {
    const path = 'some/directory/with/a/long/path/that/goes/on/and/on/file';
    const many = program(`awk 'BEGIN { for (i = 0; i < 200000; i++) printf "./${path}%06d%c", i, 0 }'`);
    globalThis.gc?.();
    const before = process.memoryUsage();
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 2);
    const found = await searching(many).glob({ pattern: '**/*', limit: 100 });
    clearInterval(timer);
    expect([found.paths.length, found.isTruncated]).toEqual([100, true]);
    expect(found.paths[99]).toBe(join(workdir, `${path}000099`));
    expect(peak - before.rss).toBeLessThan(150 * 1024 * 1024);
  });
});
