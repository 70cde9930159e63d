import { rm } from 'node:fs/promises';
import { type Backend, DiagnosticList, Layout, silentLogger, SkillStore, WorkspaceLock } from '@agent-workspace/core';
import { makeFixtureSkill, TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it } from 'vitest';
import { LocalBackend } from '../src/local-backend.ts';

interface Opened {
  readonly store: SkillStore;
  readonly layout: Layout;
  readonly diagnostics: DiagnosticList;
}

function openStore(backend: Backend): Opened {
  const layout = new Layout(backend.workdir);
  const diagnostics = new DiagnosticList();
  const lock = new WorkspaceLock(backend, layout.lockFile);
  const emit = (): void => undefined;
  const store = new SkillStore({ backend, layout, lock, diagnostics, logger: silentLogger, emit, sync: false });
  return { store, layout, diagnostics };
}

describe('SkillStore on a LocalBackend', () => {
  it('leaves nothing of a copy whose source went away half-way, and takes it the next time [S31]', async () => {
    await using workdir = await TemporaryDirectory.create();
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'a.txt': 'a', 'z.txt': 'z' } });
    const vanishing = beforeWriting(workdir.path, () => rm(`${skill.path}/z.txt`, { force: true }));
    const { store, layout } = openStore(vanishing);
    await expect(store.add({ path: skill.path })).rejects.toMatchObject({ code: 'file-not-found' });
    expect(await store.list()).toEqual([]);
    expect(await vanishing.readDirectory(layout.skillsDirectory)).toEqual([]);
    expect(await vanishing.readDirectory(layout.stateDirectory)).toEqual([]);
    const { directory } = await store.add({ path: skill.path });
    expect((await vanishing.readDirectory(directory)).map(({ name }) => name)).toEqual(['SKILL.md', 'a.txt']);
  });

  it('seeds the others where the source of one goes away half-way [S09]', async () => {
    await using workdir = await TemporaryDirectory.create();
    await using bad = await makeFixtureSkill({ name: 'bad', files: { 'z.txt': 'z' } });
    await using good = await makeFixtureSkill({ name: 'good' });
    const vanishing = beforeWriting(workdir.path, () => rm(`${bad.path}/z.txt`, { force: true }));
    const { store, diagnostics } = openStore(vanishing);
    await store.seed([bad.path, good.path]);
    expect((await store.list()).map(({ name }) => name)).toEqual(['good']);
    expect(diagnostics.list()).toMatchObject([{ path: bad.path, severity: 'error' }]);
  });

  it('takes up a seeding that was cut short before the index was written, and clears up after it', async () => {
    await using workdir = await TemporaryDirectory.create();
    await using one = await makeFixtureSkill({ name: 'one' });
    await using two = await makeFixtureSkill({ name: 'two' });
    const backend = new LocalBackend({ workdir: workdir.path });
    const { store, layout } = openStore(backend);
    await store.seed([one.path]);
    await backend.remove(`${layout.skillsDirectory}/.skills`);
    await backend.writeFile(`${layout.stateDirectory}/skills/left-behind/SKILL.md`, 'half a skill');
    await store.seed([one.path, two.path]);
    expect((await store.list()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await backend.readDirectory(layout.skillsDirectory)).map(({ name }) => name)).toEqual([
      '.skills',
      'one',
      'two',
    ]);
    expect(await backend.readDirectory(layout.stateDirectory)).toEqual([]);
  });

  it('clears the skills of everybody, with what was said of them', async () => {
    await using workdir = await TemporaryDirectory.create();
    await using skill = await makeFixtureSkill({ name: 'foo' });
    const backend = new LocalBackend({ workdir: workdir.path });
    const { store, layout, diagnostics } = openStore(backend);
    await store.clear();
    await store.seed([skill.path]);
    await store.list('a');
    await backend.writeFile(`${layout.skillsDirectory}/bad/SKILL.md`, 'no front matter');
    expect(await store.list()).toHaveLength(1);
    expect(diagnostics.list()).toHaveLength(1);
    await store.clear();
    expect(await backend.readDirectory(layout.skillsDirectory)).toEqual([]);
    expect(await store.list()).toEqual([]);
    expect(await store.list('a')).toEqual([]);
    expect(diagnostics.list()).toEqual([]);
  });
});

/** A backend on whose host something happens right before a tree is written. */
function beforeWriting(workdir: string, happen: () => Promise<void>): Backend {
  return new (class extends LocalBackend {
    override async writeTree(...given: Parameters<LocalBackend['writeTree']>): Promise<void> {
      await happen();
      await super.writeTree(...given);
    }
  })({ workdir });
}
