import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lutimes, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalBackend, LocalWorkspace } from '../src/index.ts';

const worker = fileURLToPath(new URL('./fixtures/change-worker.ts', import.meta.url));

/** More in CI, which has the time. */
const ROUNDS = Number(process.env['WORKSPACE_CRASH_ROUNDS'] ?? 30);

/** What is known of the disk after some changes: what must be there, and what may be. */
class Expectation {
  readonly mcps = new Set<string>();
  readonly contexts = new Set<string>();
  readonly results = new Set<string>();
  readonly skills = new Set<string>();
  /** Changes that were acknowledged. */
  count = 0;
  /** The change that was under way: it may have happened or not. */
  pending: string | undefined;

  take(line: string): void {
    const [word, kind = '', name = ''] = line.split(' ');
    if (word === 'begin') this.pending = `${kind} ${name}`;
    if (word !== 'done') return;
    this.pending = undefined;
    this.count += 1;
    if (kind === 'mcp') this.mcps.add(name);
    if (kind === 'unmcp') this.mcps.delete(name);
    if (kind === 'context') this.contexts.add(name);
    if (kind === 'result') this.results.add(name);
    if (kind === 'skill') this.skills.add(name.split('/').at(-1) ?? '');
    if (kind === 'unskill') this.skills.delete(name);
  }

  /** Whether `found` is `known`, give or take the change under way. */
  matches(kind: string, known: ReadonlySet<string>, found: readonly string[]): void {
    const [pendingKind = '', pendingName = ''] = (this.pending ?? '').split(' ');
    const open =
      pendingKind === kind || pendingKind === `un${kind}` ? (pendingName.split('/').at(-1) ?? '') : undefined;
    const settled = (names: Iterable<string>): string[] => [...names].filter((name) => name !== open).toSorted();
    expect(settled(found)).toEqual(settled(known));
    expect(new Set(found).size).toBe(found.length);
  }
}

async function makeSkills(directory: string): Promise<string[]> {
  const paths = ['alpha', 'beta', 'gamma'].map((name) => join(directory, name));
  for (const path of paths) {
    await mkdir(join(path, 'files'), { recursive: true });
    const name = path.split('/').at(-1);
    await writeFile(join(path, 'SKILL.md'), `---\nname: ${name}\ndescription: A skill.\n---\nBody of ${name}.\n`);
    for (let index = 0; index < 10; index += 1)
      await writeFile(join(path, 'files', `${index}.txt`), `${name} ${index}`);
  }
  return paths;
}

describe('a host that is killed', () => {
  let root: string;
  let skills: string[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'agent-workspace-crash-'));
    skills = await makeSkills(join(root, 'skills'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it(
    `loses nothing that it acknowledged, in ${ROUNDS} rounds of kill -9 [M36] [M38] [A13]`,
    async () => {
      const workdir = join(root, 'workspace');
      const expected = new Expectation();
      let interrupted = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const child = spawn(process.execPath, [worker, workdir, `r${round}`, '100000', ...skills], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const exited = once(child, 'exit');
        const lifetimeMs = Math.random() * 250;
        let timer: NodeJS.Timeout | undefined;
        for await (const line of createInterface({ input: child.stdout })) {
          if (line === 'ready') timer = setTimeout(() => child.kill('SIGKILL'), lifetimeMs);
          expected.take(line);
        }
        clearTimeout(timer);
        expect(await exited).toEqual([null, 'SIGKILL']);
        if (expected.pending !== undefined) interrupted += 1;

        const openedAt = performance.now();
        await using workspace = await LocalWorkspace.open({ workdir });
        expected.matches(
          'mcp',
          expected.mcps,
          (await workspace.listMcps()).map(({ name }) => name),
        );
        expected.matches(
          'context',
          expected.contexts,
          (await workspace.readContext('s')).map(({ id }) => id),
        );
        const listed = await workspace.listSkills();
        expected.matches(
          'skill',
          expected.skills,
          listed.map(({ name }) => name),
        );
        for (const { name, directory } of listed) {
          const files = await readdir(join(directory, 'files'));
          expect(files).toHaveLength(10);
          expect(await readFile(join(directory, 'files', '9.txt'), 'utf8')).toBe(`${name} 9`);
        }
        const session = await readdir(join(workdir, 'sessions', 's')).catch(() => []);
        const results = session.flatMap((name) => /^tool_result-(.*)\.txt$/.exec(name)?.[1] ?? []);
        expected.matches('result', expected.results, results);
        for (const id of results) {
          expect((await readFile(join(workdir, 'sessions', 's', `tool_result-${id}.txt`))).byteLength).toBe(50_000);
        }
        // The kernel ends a write in its middle, too: a message that nobody was told of can be half there.
        const open =
          expected.pending?.startsWith('context ') === true ? ['the last line is torn and was left out'] : [];
        expect([[], open]).toContainEqual(workspace.diagnostics.map(({ reason }) => reason));
        expect(performance.now() - openedAt).toBeLessThan(30_000);

        // The change under way is settled one way or the other from here on.
        await settle(expected, workspace);
      }
      expect(interrupted).toBeGreaterThan(0);
      expect(expected.contexts.size).toBeGreaterThan(0);
      await makeTellable(workdir);
      await changeOnce(workdir, skills);
      expect(await unfinished(workdir)).toEqual([]);
    },
    ROUNDS * 5_000,
  );

  it('keeps all of 200 changes that two processes make on one directory [M37]', async () => {
    const workdir = join(root, 'workspace');
    const run = async (prefix: string): Promise<Expectation> => {
      const expected = new Expectation();
      const child = spawn(process.execPath, [worker, workdir, prefix, '100'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      for await (const line of createInterface({ input: child.stdout })) expected.take(line);
      expect(await exited).toEqual([0, null]);
      return expected;
    };
    const [a, b] = await Promise.all([run('a'), run('b')]);
    await using workspace = await LocalWorkspace.open({ workdir });
    const both = (kind: 'mcps' | 'contexts' | 'results'): string[] => [...a[kind], ...b[kind]].toSorted();
    expect((await workspace.listMcps()).map(({ name }) => name).toSorted()).toEqual(both('mcps'));
    expect((await workspace.readContext('s')).map(({ id }) => id).toSorted()).toEqual(both('contexts'));
    expect(a.count + b.count).toBe(200);
    const files = await readdir(join(workdir, 'sessions', 's'));
    const results = files.flatMap((name) => /^tool_result-(.*)\.txt$/.exec(name)?.[1] ?? []);
    expect(results.toSorted()).toEqual(both('results'));
  });
});

/** Unfinished files and directories, wherever they are in the workspace. */
async function unfinished(workdir: string): Promise<readonly string[]> {
  const paths = await readdir(workdir, { recursive: true });
  return paths.filter((path) => basename(path).startsWith('.aw-tmp-')).map((path) => join(workdir, path));
}

/** Where no process can be told from a later one, only its age shows what is left behind. */
async function makeTellable(workdir: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const backend = stack.adopt(new LocalBackend({ workdir }), (adopted) => adopted.close());
  if (backend.lockOwner !== undefined) return;
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of await unfinished(workdir)) await lutimes(path, longAgo, longAgo);
}

/** A change of each kind, by a host that lives to close the workspace. */
async function changeOnce(workdir: string, skills: readonly string[]): Promise<void> {
  await using workspace = await LocalWorkspace.open({ workdir });
  await workspace.addMcp({ name: 'last', command: 'true' });
  const [first] = await workspace.listSkills();
  if (first !== undefined) await workspace.removeSkill(first.name);
  for (const path of skills) await workspace.addSkill({ path });
  const content = [{ type: 'text', id: 'last-t', text: 'x' }] as const;
  await workspace.offloadContext('s', [{ id: 'last', name: 'user', role: 'user', content }]);
  await workspace.offloadToolResult('s', { type: 'tool_result', id: 'last', name: 'Bash', output: 'y' });
}

async function settle(expected: Expectation, workspace: LocalWorkspace): Promise<void> {
  expected.pending = undefined;
  const replace = (known: Set<string>, found: readonly string[]): void => {
    known.clear();
    for (const name of found) known.add(name);
  };
  replace(
    expected.mcps,
    (await workspace.listMcps()).map(({ name }) => name),
  );
  replace(
    expected.contexts,
    (await workspace.readContext('s')).map(({ id }) => id),
  );
  replace(
    expected.skills,
    (await workspace.listSkills()).map(({ name }) => name),
  );
  const session = await readdir(join(workspace.workdir, 'sessions', 's')).catch(() => []);
  replace(
    expected.results,
    session.flatMap((name) => /^tool_result-(.*)\.txt$/.exec(name)?.[1] ?? []),
  );
}
