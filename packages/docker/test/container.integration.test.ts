import { randomUUID } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../src/container/container-spec.ts';
import { LABELS } from '../src/container/labels.ts';
import { prepareWorkdir } from '../src/container/prepare-workdir.ts';
import { findContainer, findOrCreateContainer } from '../src/container/workspace-container.ts';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import { buildEchoImage } from './echo-gateway.ts';
import { hasDocker } from './engine.ts';
import { removeContainers } from './remove-containers.ts';

const managerId = `test-${randomUUID()}`;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!hasDocker)('the container', () => {
  let engine: DockerEngine;
  let image: string;
  let directory: string;

  beforeAll(async () => {
    engine = await DockerEngine.connect();
    image = await buildEchoImage(engine);
    directory = await mkdtemp(join(tmpdir(), 'aw-container-'));
  });

  afterEach(async () => {
    await removeContainers(engine, managerId);
  });

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await engine.images.remove(image);
  });

  function specOf(changes: Partial<ContainerSpec> = {}): ContainerSpec {
    return {
      managerId,
      workspaceId: randomUUID(),
      image,
      user: { uid: 1000, gid: 1000 },
      storage: { kind: 'container' },
      workdir: '/workspace',
      network: 'none',
      limits: {},
      ...changes,
    };
  }

  /** A specification whose workdir is a new directory of this machine. */
  async function sharedSpec(name: string, changes: Partial<ContainerSpec> = {}): Promise<ContainerSpec> {
    const { path, user } = await prepareWorkdir(join(directory, name), undefined);
    return specOf({ storage: { kind: 'directory', path }, user, ...changes });
  }

  async function run(id: string, script: string): Promise<string> {
    const stream = await engine.containers.exec(id, ['sh', '-c', script]);
    stream.end();
    return text(stream);
  }

  it('sleeps behind an init, with labels and a name that is legal [D18] [D30]', async () => {
    const spec = specOf({ workspaceId: 'a/b c@x' });
    const { container, how } = await findOrCreateContainer(engine, spec);
    expect(how).toBe('created');
    expect(container.name).toMatch(/^aw-test-[0-9a-f-]{35}-[0-9a-f]{16}$/);
    expect(container.labels).toMatchObject({ [LABELS.manager]: managerId, [LABELS.workspace]: 'a/b c@x' });
    const first = await run(container.id, 'tr "\\0" " " </proc/1/cmdline');
    expect(first).toBe('/sbin/docker-init -- sleep infinity ');
  });

  it('has no capabilities, may gain none, and may not fork without end', async () => {
    const { container } = await findOrCreateContainer(engine, specOf({ limits: { pids: 40 } }));
    expect(await run(container.id, 'id -u; grep -E "CapBnd|NoNewPrivs" /proc/self/status')).toBe(
      '1000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n',
    );
    const script =
      'import os,time\nn=0\ntry:\n  while True:\n    if os.fork()==0: time.sleep(60)\n    n+=1\nexcept OSError: print(n)';
    expect(Number(await run(container.id, `python3 -c '${script}' 2>&1 | head -n 1`))).toBeLessThan(40);
  });

  it("writes to the host's directory as the host's own user [D16]", async () => {
    const spec = await sharedSpec('mine');
    const { container } = await findOrCreateContainer(engine, spec);
    await run(container.id, 'touch f');
    const [facts, owner] = [await stat(join(directory, 'mine', 'f')), await stat(join(directory, 'mine'))];
    expect(facts.uid).toBe(isRoot ? 1000 : process.getuid?.());
    expect(facts.uid).toBe(owner.uid);
    expect(await readdir(join(directory, 'mine'))).toStrictEqual(['f']);
  });

  it('is started again where it was stopped, with its files [D22]', async () => {
    const spec = specOf();
    const { container } = await findOrCreateContainer(engine, spec);
    await run(container.id, 'echo kept > /workspace/f');
    await engine.containers.stop(container.id, 1);
    const again = await findOrCreateContainer(engine, spec);
    expect(again).toMatchObject({ how: 'started', isOutdated: false, container: { id: container.id } });
    expect(await run(again.container.id, 'cat f')).toBe('kept\n');
  });

  it('is found by its labels where the host had crashed, running or paused [D28]', async () => {
    const spec = specOf();
    const { container } = await findOrCreateContainer(engine, spec);
    expect((await findOrCreateContainer(engine, spec)).container.id).toBe(container.id);
    await engine.containers.pause(container.id);
    const again = await findOrCreateContainer(engine, spec);
    expect(again.container).toMatchObject({ id: container.id, state: 'running' });
    expect(await findContainer(engine, { managerId, workspaceId: 'another' })).toBeUndefined();
  });

  it('is replaced where its options have changed and its data are elsewhere [D32]', async () => {
    const spec = await sharedSpec('changed');
    const { container } = await findOrCreateContainer(engine, spec);
    await run(container.id, 'echo kept > f');
    const changed = { ...spec, limits: { pids: 77 } };
    const running = await findOrCreateContainer(engine, changed);
    expect(running).toMatchObject({ how: 'found', isOutdated: true, container: { id: container.id } });
    await engine.containers.stop(container.id, 1);
    const replaced = await findOrCreateContainer(engine, changed);
    expect(replaced).toMatchObject({ how: 'created', isOutdated: false });
    expect(await run(replaced.container.id, 'cat f /sys/fs/cgroup/pids/pids.max')).toBe('kept\n77\n');
  });

  it('is kept where its options have changed and the data are in it, which is said [D32]', async () => {
    const spec = specOf();
    const { container } = await findOrCreateContainer(engine, spec);
    await run(container.id, 'echo kept > f');
    await engine.containers.stop(container.id, 1);
    const again = await findOrCreateContainer(engine, { ...spec, limits: { pids: 100 } });
    expect(again).toMatchObject({ how: 'started', isOutdated: true });
    expect(await run(again.container.id, 'cat f')).toBe('kept\n');
  });

  it('is not taken for that of a directory which merely says the same id', async () => {
    const spec = await sharedSpec('theirs');
    const { container } = await findOrCreateContainer(engine, spec);
    const other = await sharedSpec('copy', { workspaceId: spec.workspaceId });
    await expect(findOrCreateContainer(engine, other)).rejects.toMatchObject({
      code: 'docker-options-invalid',
      message: expect.stringContaining(`${container.name} of the workspace "${spec.workspaceId}" has its files in`),
    });
  });

  it('is one, where several hosts ask at the same time', async () => {
    const spec = specOf();
    const found = await Promise.all(Array.from({ length: 4 }, () => findOrCreateContainer(engine, spec)));
    expect(new Set(found.map(({ container }) => container.id)).size).toBe(1);
    expect(found.filter(({ how }) => how === 'created')).toHaveLength(1);
  });

  it('keeps its data in a volume, which outlives it', async () => {
    const name = `aw-test-${randomUUID()}`;
    try {
      const spec = specOf({ storage: { kind: 'volume', name } });
      const { container } = await findOrCreateContainer(engine, spec);
      await run(container.id, 'echo kept > f');
      await engine.containers.remove(container.id);
      const again = await findOrCreateContainer(engine, spec);
      expect(again.how).toBe('created');
      expect(await run(again.container.id, 'cat f')).toBe('kept\n');
      await engine.containers.remove(again.container.id);
    } finally {
      await engine.removeVolume(name);
    }
  });

  it('that is not ready in time says what it printed until then, and is removed [D29]', async () => {
    const firstCommand = { argv: ['sh', '-c', 'echo still loading; sleep 60'], stdin: '' };
    const signal = AbortSignal.timeout(3_000);
    const spec = specOf({ takesFirstCommand: true });
    await expect(findOrCreateContainer(engine, spec, { firstCommand, signal })).rejects.toMatchObject({
      code: 'container-start-failed',
      details: { log: expect.stringContaining('still loading') },
      message: expect.stringContaining('still loading'),
    });
    expect(await engine.containers.list({ [LABELS.manager]: managerId })).toStrictEqual([]);
  });

  it('leaves nothing when it cannot be started, and tells why', async () => {
    const spec = specOf({ network: `container:${'0'.repeat(64)}` });
    await expect(findOrCreateContainer(engine, spec)).rejects.toMatchObject({ code: 'container-start-failed' });
    expect(await engine.containers.list({ [LABELS.manager]: managerId })).toStrictEqual([]);
  });

  it('finds out that the engine does not see the directory', async () => {
    const spec = specOf({ storage: { kind: 'directory', path: join(directory, 'not-there') } });
    await expect(findOrCreateContainer(engine, spec)).rejects.toMatchObject({
      code: 'workdir-not-shared',
      details: { workdir: join(directory, 'not-there'), endpoint: engine.address },
    });
    expect(await engine.containers.list({ [LABELS.manager]: managerId })).toStrictEqual([]);
  });

  describe.skipIf(!isRoot)('under root', () => {
    it('fails on a directory that root made', async () => {
      const path = join(directory, 'of-root');
      await mkdir(path);
      await expect(prepareWorkdir(path, undefined)).rejects.toMatchObject({
        code: 'workdir-not-writable',
        message: expect.stringContaining(`chown -R 1000:1000 ${path}`),
        details: { owner: '0:0', user: '1000:1000' },
      });
      expect((await stat(path)).uid).toBe(0);
      expect(await prepareWorkdir(path, { uid: 0, gid: 0 })).toMatchObject({ user: { uid: 0, gid: 0 } });
    });

    it('hands over a directory that a host had made and was killed before it could', async () => {
      const path = join(directory, 'unfinished');
      await mkdir(path, { mode: 0o1700 });
      expect(await prepareWorkdir(path, undefined)).toMatchObject({
        user: { uid: 1000, gid: 1000 },
        made: { isNew: false, newParents: [] },
      });
      const facts = await stat(path);
      expect([facts.uid, facts.mode & 0o7777]).toStrictEqual([1000, 0o755]);
      const made = await prepareWorkdir(join(directory, 'new', 'one'), undefined);
      expect(made.made).toMatchObject({ isNew: true, newParents: [join(directory, 'new')] });
      const fresh = await stat(made.path);
      expect([fresh.uid, fresh.mode & 0o7777]).toStrictEqual([1000, 0o755]);
      await prepareWorkdir(join(directory, 'of-root-itself'), { uid: 0, gid: 0 });
      expect((await stat(join(directory, 'of-root-itself'))).mode & 0o7777).toBe(0o755);
    });

    it('hands over a directory that a workspace made, and nothing that is outside', async () => {
      const path = join(directory, 'handed-over');
      const outside = join(directory, 'outside');
      await mkdir(join(path, '.workspace'), { recursive: true });
      await mkdir(join(path, 'sessions', 'one'), { recursive: true });
      await mkdir(join(path, 'theirs'));
      await mkdir(outside);
      await writeFile(join(outside, 'secret'), '');
      await writeFile(join(path, '.workspace', 'state.json'), '{}');
      await writeFile(join(path, 'sessions', 'one', 'context.jsonl'), '');
      await chown(join(path, 'theirs'), 2000, 2000);
      await symlink(outside, join(path, 'link'));
      expect((await prepareWorkdir(path, undefined)).user).toStrictEqual({ uid: 1000, gid: 1000 });
      const owners: Record<string, number> = {};
      for (const name of ['', '.workspace/state.json', 'sessions/one/context.jsonl', 'theirs']) {
        owners[name] = (await stat(join(path, name))).uid;
      }
      expect(owners).toStrictEqual({
        '': 1000,
        '.workspace/state.json': 1000,
        'sessions/one/context.jsonl': 1000,
        theirs: 2000,
      });
      expect((await stat(outside)).uid).toBe(0);
      expect((await stat(join(outside, 'secret'))).uid).toBe(0);
    });

    it('works as the owner of a directory that is not root', async () => {
      const path = join(directory, 'of-another');
      await mkdir(path);
      await chown(path, 4321, 1234);
      expect((await prepareWorkdir(path, undefined)).user).toStrictEqual({ uid: 4321, gid: 1234 });
      await expect(prepareWorkdir(path, { uid: 1000, gid: 1000 })).rejects.toMatchObject({
        code: 'workdir-not-writable',
      });
    });
  });
});
