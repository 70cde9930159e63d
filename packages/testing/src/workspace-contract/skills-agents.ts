import { expect, it } from 'vitest';
import { makeFixtureSkill, skillText } from '../skills/fixture-skill.ts';
import {
  foldersIn,
  inSkills,
  namesOf,
  readIndex,
  readText,
  sh,
  type SkillsContractOptions,
  writeSkill,
} from './skills-subject.ts';

/** Each agent's own skills. */
export function skillsAgentsCases({ open }: SkillsContractOptions): void {
  it('skills:agents-apart: shows no agent what another one added, removed or improved [S28]', async () => {
    await using shared = await makeFixtureSkill({ name: 'shared', files: { 'run.sh': { content: 'x', mode: 0o755 } } });
    await using own = await makeFixtureSkill({ name: 'own' });
    await using subject = await open({ skillPaths: [shared.path] });
    expect(await namesOf(subject, 'a')).toEqual(['shared']);
    expect(await namesOf(subject, 'b')).toEqual(['shared']);
    await subject.add({ path: own.path }, 'a');
    await subject.remove('shared', 'b');
    await writeSkill(subject, 'a/shared', skillText({ name: 'shared', description: 'Improved.' }));
    expect(await subject.list('a')).toMatchObject([{ name: 'own' }, { name: 'shared', description: 'Improved.' }]);
    expect(await subject.list('b')).toEqual([]);
    expect(await subject.list()).toMatchObject([{ name: 'shared', description: 'Does shared.' }]);
    expect(await subject.list('c')).toMatchObject([{ name: 'shared', directory: inSkills(subject, 'c/shared') }]);
    expect(await subject.backend.stat(inSkills(subject, 'c/shared/run.sh'))).toMatchObject({ mode: 0o755 });
  });

  it('skills:own-copy: keeps what an agent removed from coming back, and later templates out', async () => {
    await using first = await makeFixtureSkill({ name: 'first' });
    await using later = await makeFixtureSkill({ name: 'later' });
    await using subject = await open({ skillPaths: [first.path] });
    await subject.remove('first', 'a');
    await subject.add({ path: later.path });
    await using again = await subject.reopen({ skillPaths: [first.path] });
    expect(await namesOf(again, 'a')).toEqual([]);
    expect(await namesOf(again, 'b')).toEqual(['first', 'later']);
    await again.purgeAgent('a');
    await again.purgeAgent('nobody');
    expect(await foldersIn(again)).toEqual(['.skills', 'b', 'first', 'later']);
    expect(await namesOf(again, 'a')).toEqual(['first', 'later']);
    expect(await readIndex(again, 'a/.index')).toEqual({
      ...((await readIndex(again, '.skills')) as object),
      skills_dir_mtime: expect.any(Number),
    });
  });

  it('skills:one-copy: makes one whole copy when many look at once', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', files: { 'a/b': 'c' } });
    await using subject = await open({ skillPaths: [skill.path] });
    await using other = await subject.reopen();
    const looks = Array.from({ length: 10 }, (_, index) => namesOf(index % 2 === 0 ? subject : other, 'a'));
    expect(new Set((await Promise.all(looks)).map((names) => names.join()))).toEqual(new Set(['foo']));
    expect(await foldersIn(subject)).toEqual(['.skills', 'a', 'foo']);
    expect(await readText(subject, inSkills(subject, 'a/foo/a/b'))).toBe('c');
  });

  it('skills:name-of-a-folder: tells an agent from a skill that has its name', async () => {
    await using foo = await makeFixtureSkill({ name: 'foo' });
    await using bar = await makeFixtureSkill({ name: 'bar' });
    await using subject = await open({ skillPaths: [foo.path] });
    // The skill was first: the agent's name gives way.
    expect(await subject.list('foo')).toMatchObject([{ name: 'foo', directory: inSkills(subject, '%66oo/foo') }]);
    // The agent was first: the folder of the skill gives way.
    await subject.list('bar');
    expect(await subject.add({ path: bar.path })).toMatchObject({ name: 'bar', directory: inSkills(subject, 'bar_1') });
    expect(await namesOf(subject, 'bar')).toEqual(['foo']);
    // A folder once made keeps its name.
    await subject.remove('foo');
    expect(await subject.list('foo')).toMatchObject([{ directory: inSkills(subject, '%66oo/foo') }]);
    expect(await namesOf(subject)).toEqual(['bar']);
  });

  it('skills:default-is-no-agent: tells an agent called default from unscoped callers', async () => {
    await using foo = await makeFixtureSkill({ name: 'foo' });
    await using subject = await open({ skillPaths: [foo.path] });
    await subject.remove('foo', 'default');
    expect(await namesOf(subject, 'default')).toEqual([]);
    expect(await namesOf(subject)).toEqual(['foo']);
    expect(await foldersIn(subject)).toEqual(['%64efault', '.skills', 'foo']);
  });

  it('skills:agent-ids: keeps every agent in a folder of its own below skills/ [A06]', async () => {
    await using foo = await makeFixtureSkill({ name: 'foo' });
    await using subject = await open({ skillPaths: [foo.path] });
    const ids = ['../x', 'A', 'a', '.seed', '.skills', 'con', '__proto__', 'ü', 'x'.repeat(500), 'a/b'];
    for (const id of ids) expect(await namesOf(subject, id)).toEqual(['foo']);
    const folders = (await foldersIn(subject)).filter((name) => name !== 'foo' && name !== '.skills');
    expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(ids.length);
    for (const id of ids) await subject.purgeAgent(id);
    expect(await foldersIn(subject)).toEqual(['.skills', 'foo']);
    await expect(subject.list('')).rejects.toMatchObject({ code: 'id-invalid' });
  });

  it('skills:adopted: uses the folder that AgentScope made for an id that we would encode', async () => {
    await using subject = await open();
    await writeSkill(subject, 'Agent One/foo');
    expect(await subject.list('Agent One')).toMatchObject([
      { name: 'foo', directory: inSkills(subject, 'Agent One/foo') },
    ]);
    expect(await foldersIn(subject)).toEqual(['Agent One']);
    await subject.purgeAgent('Agent One');
    expect(await foldersIn(subject)).toEqual([]);
  });

  it('skills:copy-without-links-out: copies a template without the link that somebody made out of it', async () => {
    await using foo = await makeFixtureSkill({ name: 'foo', files: { 'lib/x': 'x' } });
    await using subject = await open({ skillPaths: [foo.path] });
    await sh(subject, 'cd skills/foo; ln -s /usr big; ln -s lib/x inside');
    expect(await namesOf(subject, 'a')).toEqual(['foo']);
    expect(await foldersIn(subject, 'a/foo')).toEqual(['SKILL.md', 'inside', 'lib']);
    expect(subject.diagnostics()).toContainEqual({
      kind: 'skill',
      path: inSkills(subject, 'foo/big'),
      reason: 'it is left out: the link to "/usr" leads out of it',
      severity: 'warning',
    });
  });

  it('skills:agent-path: gives a path at which the agent can read its skill [S29]', async () => {
    await using foo = await makeFixtureSkill({ name: 'foo' });
    await using subject = await open({ skillPaths: [foo.path] });
    for (const agentId of [undefined, 'a']) {
      const [skill] = await subject.list(agentId);
      expect(skill?.path.startsWith(`${subject.backend.workdir}/skills/`)).toBe(true);
      expect(await sh(subject, `cat "${skill?.path}"`)).toBe(skillText({ name: 'foo' }));
    }
  });
}
