import { setImmediate } from 'node:timers/promises';
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

/** What changes by our methods, by hand, and by both at once. */
export function skillsChangesCases({ open }: SkillsContractOptions): void {
  it('skills:by-hand-stays: keeps a skill that somebody made by hand, whatever was configured [S26]', async () => {
    await using configured = await makeFixtureSkill({ name: 'foo' });
    await using added = await makeFixtureSkill({ name: 'bar' });
    await using subject = await open({ skillPaths: [configured.path] });
    await sh(
      subject,
      `mkdir -p skills/mine && printf -- '---\\nname: mine\\ndescription: d\\n---\\n' > skills/mine/SKILL.md`,
    );
    expect(await namesOf(subject)).toEqual(['foo', 'mine']);
    await subject.add({ path: added.path });
    await subject.remove('foo');
    await using again = await subject.reopen({ skillPaths: [configured.path] });
    expect(await namesOf(again)).toEqual(['bar', 'mine']);
    expect(await readIndex(again, '.skills')).toMatchObject({ skills: { mine: { skill_name: 'mine' } } });
  });

  it('skills:deleted-by-hand: no longer lists what was deleted, the last one too [S27]', async () => {
    await using subject = await open();
    await writeSkill(subject, 'foo');
    expect(await namesOf(subject)).toEqual(['foo']);
    await sh(subject, 'rm -r skills/foo');
    expect(await namesOf(subject)).toEqual([]);
  });

  it('skills:never-empty: shows an empty list at no moment while skills come and go [S27]', async () => {
    await using first = await makeFixtureSkill({ name: 'first' });
    await using second = await makeFixtureSkill({ name: 'second' });
    await using subject = await open();
    await subject.add({ path: first.path });
    await using other = await subject.reopen();
    const seen = new Set<string>();
    let isDone = false;
    const looking = (async () => {
      while (!isDone) {
        seen.add((await namesOf(other)).join());
        await setImmediate();
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      await subject.add({ path: second.path });
      await subject.remove('second');
    }
    isDone = true;
    await looking;
    expect([...seen].filter((names) => names !== 'first' && names !== 'first,second')).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });

  it('skills:edit-in-place: shows an edit of SKILL.md, also one that keeps its size and time [S32]', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo', description: 'Old words.' });
    await using subject = await open();
    await subject.add({ path: skill.path });
    await sh(subject, "cd skills/foo && touch -r SKILL.md ../stamp && sed -i 's/Old/New/' SKILL.md");
    expect(await subject.list()).toMatchObject([{ name: 'foo', description: 'New words.' }]);
    await sh(subject, "cd skills/foo && sed -i 's/New/Odd/' SKILL.md && touch -r ../stamp SKILL.md");
    expect(await subject.list()).toMatchObject([{ name: 'foo', description: 'Odd words.' }]);
  });

  it('skills:rename-in-place: shows a name that was changed by hand', async () => {
    await using skill = await makeFixtureSkill({ name: 'foo' });
    await using subject = await open();
    await subject.add({ path: skill.path });
    await writeSkill(subject, 'foo', skillText({ name: 'bar' }));
    expect(await subject.list()).toMatchObject([{ name: 'bar', directory: inSkills(subject, 'foo') }]);
  });

  it('skills:name-taken: numbers a name and a folder that are taken, and leaves SKILL.md as it is', async () => {
    await using subject = await open();
    const added: string[] = [];
    for (const description of ['One.', 'Two.', 'Three.']) {
      await using skill = await makeFixtureSkill({ name: 'My Skill: Ünï', description });
      added.push((await subject.add({ path: skill.path })).name);
    }
    expect(added).toEqual(['My Skill: Ünï', 'My Skill: Ünï (1)', 'My Skill: Ünï (2)']);
    expect(await foldersIn(subject)).toEqual(['.skills', 'My_Skill__Ünï', 'My_Skill__Ünï_1', 'My_Skill__Ünï_2']);
    expect(await readText(subject, inSkills(subject, 'My_Skill__Ünï_1/SKILL.md'))).toBe(
      skillText({ name: 'My Skill: Ünï', description: 'Two.' }),
    );
    await subject.remove('My Skill: Ünï (1)');
    // A name once given stays with its skill.
    expect(await subject.list()).toMatchObject([
      { name: 'My Skill: Ünï', description: 'One.' },
      { name: 'My Skill: Ünï (2)', description: 'Three.' },
    ]);
  });

  it('skills:folder-taken: puts nothing over what is there under the name of its folder', async () => {
    await using skill = await makeFixtureSkill({ name: 'notes' });
    await using subject = await open();
    await subject.backend.writeFile(inSkills(subject, 'notes'), 'mine');
    await subject.backend.writeFile(inSkills(subject, 'Notes_1/draft.md'), 'mine, too');
    const { directory } = await subject.add({ path: skill.path });
    expect(directory).toBe(inSkills(subject, 'notes_2'));
    expect(await readText(subject, inSkills(subject, 'notes'))).toBe('mine');
  });

  it('skills:removed: removes folder and entry, and nothing else', async () => {
    await using one = await makeFixtureSkill({ name: 'one' });
    await using two = await makeFixtureSkill({ name: 'two' });
    await using subject = await open({ skillPaths: [one.path, two.path] });
    await subject.remove('one');
    await expect(subject.remove('one')).rejects.toMatchObject({ code: 'skill-not-found', details: { name: 'one' } });
    expect(await foldersIn(subject)).toEqual(['.skills', 'two']);
    expect(await readIndex(subject, '.skills')).toMatchObject({ skills: { two: { skill_name: 'two' } } });
    expect(Object.keys((await readIndex(subject, '.skills')) as { skills: object }).length).toBe(2);
    expect(await subject.add({ path: one.path })).toMatchObject({ name: 'one' });
  });

  it('skills:concurrent: loses none of 20 skills that two workspace objects add at once', async () => {
    await using subject = await open();
    await using other = await subject.reopen();
    const skills = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeFixtureSkill({ name: `skill-${index}` })),
    );
    try {
      await Promise.all(skills.map(({ path }, index) => (index % 2 === 0 ? subject : other).add({ path })));
    } finally {
      for (const skill of skills) await skill[Symbol.asyncDispose]();
    }
    const expected = Array.from({ length: 20 }, (_, index) => `skill-${index}`).toSorted();
    expect(await namesOf(subject)).toEqual(expected);
    const index = (await readIndex(subject, '.skills')) as { readonly skills: object };
    expect(Object.keys(index.skills).toSorted()).toEqual(expected);
  });

  it('skills:index-unknown: keeps fields and entries of an index that are not ours', async () => {
    await using skill = await makeFixtureSkill({ name: 'new' });
    await using subject = await open();
    await writeSkill(subject, 'foo', skillText({ name: 'foo' }));
    await writeSkill(subject, 'broken', 'no front matter');
    const index = {
      skills_dir_mtime: 1.5,
      skills: {
        foo: { hash: 'of another time', skill_name: 'foo (3)', note: { deep: ['ü', 12_345_678_901_234] } },
        broken: { hash: 'x', skill_name: 'broken', note: 1 },
        gone: { hash: 'y', skill_name: 'gone' },
      },
      later: { version: 3 },
    };
    await subject.backend.writeFile(inSkills(subject, '.skills'), JSON.stringify(index));
    expect(await namesOf(subject)).toEqual(['foo (3)']);
    await subject.add({ path: skill.path });
    expect(await readIndex(subject, '.skills')).toEqual({
      skills_dir_mtime: expect.any(Number),
      skills: {
        foo: { ...index.skills.foo, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        broken: index.skills.broken,
        new: { hash: expect.any(String), skill_name: 'new', tree_hash: expect.any(String) },
      },
      later: { version: 3 },
    });
  });

  it('skills:index-broken: lists without an index that does not parse, and never writes over it', async () => {
    await using skill = await makeFixtureSkill({ name: 'new' });
    await using subject = await open();
    await writeSkill(subject, 'foo');
    const index = inSkills(subject, '.skills');
    for (const [number, content] of [`{"skills": {"foo"`, '[]'].entries()) {
      await subject.backend.writeFile(index, content);
      expect(await namesOf(subject)).toContain('foo');
      expect(subject.diagnostics().map(({ path }) => path)).toContain(index);
      if (number === 0) await subject.add({ path: skill.path });
      else await subject.remove('new');
      expect(await readText(subject, `${index}.broken-${number + 1}`)).toBe(content);
      expect(await readIndex(subject, '.skills')).toMatchObject({ skills: { foo: { skill_name: 'foo' } } });
      expect(subject.diagnostics()).toContainEqual(
        expect.objectContaining({ path: index, reason: expect.stringContaining(`${index}.broken-${number + 1}`) }),
      );
    }
  });
}
