import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeFixtureSkill, skillText } from '../skills/fixture-skill.ts';
import {
  inSkills,
  namesOf,
  readIndex,
  readText,
  reasonsFor,
  sh,
  type SkillsContractOptions,
  writeSkill,
} from './skills-subject.ts';

/** What an agent may have put on the disk. */
export function skillsHostileCases({ open }: SkillsContractOptions): void {
  it('skills:links-in-workspace: follows no link that the agent made to something outside [X10]', async () => {
    await using skill = await makeFixtureSkill({ name: 'new' });
    await using subject = await open();
    await writeSkill(subject, 'good');
    await sh(
      subject,
      'ln -sfn /etc skills/x; mkdir skills/y; ln -s /etc/passwd skills/y/SKILL.md; ln -s /etc/hostname skills/.skills',
    );
    expect(await namesOf(subject)).toEqual(['good']);
    expect(reasonsFor(subject, inSkills(subject, 'x'))).toEqual(['it is a link; a skill is a folder of its own']);
    expect(reasonsFor(subject, inSkills(subject, 'y/SKILL.md'))).toEqual([
      expect.stringContaining('its SKILL.md is a link'),
    ]);
    expect(reasonsFor(subject, inSkills(subject, '.skills'))).toEqual([expect.stringContaining('no regular file')]);
    const before = await sh(subject, 'cat /etc/hostname');
    await subject.add({ path: skill.path });
    expect(await namesOf(subject)).toEqual(['good', 'new']);
    expect(await readIndex(subject, '.skills')).toMatchObject({ skills: { good: { skill_name: 'good' } } });
    expect(await sh(subject, 'cat /etc/hostname')).toBe(before);
  });

  it('skills:linked-file-in-workspace: follows a SKILL.md that is a link inside its folder [S12]', async () => {
    await using subject = await open();
    await subject.backend.writeFile(inSkills(subject, 'foo/docs/main.md'), skillText({ name: 'foo' }));
    await writeSkill(subject, 'other');
    await sh(
      subject,
      'ln -s docs/main.md skills/foo/SKILL.md; mkdir skills/bar; ln -s ../other/SKILL.md skills/bar/SKILL.md',
    );
    expect(await namesOf(subject)).toEqual(['foo', 'other']);
    expect(reasonsFor(subject, inSkills(subject, 'bar/SKILL.md'))).toEqual([
      'its SKILL.md is a link that leads out of its folder',
    ]);
  });

  it(
    'skills:special-files: passes over a FIFO and a folder in the place of SKILL.md',
    { timeout: 60_000 },
    async () => {
      await using subject = await open();
      await writeSkill(subject, 'good');
      await sh(subject, 'mkdir -p skills/fifo skills/folder/SKILL.md; mkfifo skills/fifo/SKILL.md skills/pipe');
      expect(await namesOf(subject)).toEqual(['good']);
    },
  );

  it('skills:caps: says of a SKILL.md that is too large, or has aliases, that it is not listed', async () => {
    await using subject = await open();
    await writeSkill(subject, 'good');
    await writeSkill(subject, 'large', skillText({ name: 'large', body: 'x'.repeat(256 * 1024) }));
    await writeSkill(subject, 'long', `---\nname: long\ndescription: |\n${'  x\n'.repeat(5_000)}---\n`);
    const bomb = '---\nname: bomb\ndescription: d\nmetadata:\n  a: &a [x, x]\n  b: &b [*a, *a]\n---\n';
    await writeSkill(subject, 'bomb', bomb);
    await writeSkill(subject, 'emphasis', '---\nname: emphasis\ndescription: *Always* useful\n---\n');
    await writeSkill(subject, 'nested', `---\nmetadata:\n  a: ${'['.repeat(16_000)}\n---\n`);
    expect(await subject.list()).toMatchObject([
      { name: 'emphasis', description: '*Always* useful' },
      { name: 'good' },
    ]);
    expect(reasonsFor(subject, inSkills(subject, 'large/SKILL.md'))).toEqual([
      'its SKILL.md is larger than 262144 bytes',
    ]);
    expect(reasonsFor(subject, inSkills(subject, 'long/SKILL.md'))[0]).toContain('longer than 16384 bytes');
    expect(reasonsFor(subject, inSkills(subject, 'bomb/SKILL.md'))[0]).toContain('its front matter is refused');
    expect(reasonsFor(subject, inSkills(subject, 'nested/SKILL.md'))).toHaveLength(1);
  });

  it('skills:cap-number: lists 1,000 skills and says that there are more', async () => {
    await using skill = await makeFixtureSkill({ name: 'new' });
    await using subject = await open();
    const names = Array.from({ length: 1_001 }, (_, index) => `s${String(index).padStart(4, '0')}`);
    const entries = names.map((name) => {
      return { kind: 'file', path: `${name}/SKILL.md`, bytes: Buffer.from(skillText({ name })) } as const;
    });
    await subject.backend.writeTree(subject.layout.skillsDirectory, entries, { replace: true });
    expect(await namesOf(subject)).toEqual(names.slice(0, 1_000));
    expect(reasonsFor(subject, inSkills(subject, '.skills'))).toEqual([
      'it holds 1001 skills, and only the first 1000 are listed',
    ]);
    await expect(subject.add({ path: skill.path })).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('skills:odd-names: gives no skill a name that means something to a path or a file system', async () => {
    await using subject = await open();
    for (const name of ['../../x', '.hidden', 'con', '日本語 スキル', '"/etc/passwd"', 'default', 'x'.repeat(300)]) {
      await using skill = await makeFixtureSkill({ name: 'source' });
      await writeFile(`${skill.path}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n`);
      await subject.add({ path: skill.path });
    }
    const folders = (await subject.list()).map(({ directory }) =>
      directory.slice(subject.layout.skillsDirectory.length + 1),
    );
    expect(folders.toSorted()).toEqual(
      ['______x', '_etc_passwd', '_hidden', 'con_', 'default_1', 'x'.repeat(120), '日本語_スキル'].toSorted(),
    );
    expect(await readText(subject, inSkills(subject, 'con_/SKILL.md'))).toContain('name: con\n');
  });
}
