import { SkillNotFoundError } from '@agent-workspace/core';
import { expect, it } from 'vitest';
import { inSkills, namesOf, reasonsFor, type SkillsContractOptions, writeSkill } from './skills-subject.ts';

/** What people write into a SKILL.md. */
export function skillsFrontMatterCases({ open }: SkillsContractOptions): void {
  it('skills:shape: gives name, description, paths, body and all of the front matter', async () => {
    await using subject = await open();
    const text = '---\nname: notes\ndescription: Takes notes.\nmetadata:\n  author: me\n---\n\n# Notes\n\nWrite.\n';
    await writeSkill(subject, 'notes', text);
    expect(await subject.list()).toEqual([
      {
        name: 'notes',
        description: 'Takes notes.',
        directory: inSkills(subject, 'notes'),
        path: inSkills(subject, 'notes/SKILL.md'),
        body: '# Notes\n\nWrite.\n',
        frontMatter: { name: 'notes', description: 'Takes notes.', metadata: { author: 'me' } },
      },
    ]);
    expect(subject.diagnostics()).toEqual([]);
  });

  it('skills:colon-crlf: takes a value with a colon and CRLF as it is meant [S02]', async () => {
    await using subject = await open();
    const text = '---\r\nname: x\r\ndescription: Use when: the user asks\r\n---\r\nBody\r\n';
    await writeSkill(subject, 'x', text);
    await writeSkill(subject, 'y', text.replace('name: x', 'name: y').replaceAll('\r\n', '\n'));
    expect(await subject.list()).toMatchObject([
      { name: 'x', description: 'Use when: the user asks', body: 'Body\r\n' },
      { name: 'y', description: 'Use when: the user asks', body: 'Body\n' },
    ]);
    expect(reasonsFor(subject, inSkills(subject, 'x/SKILL.md'))).toEqual([
      'a value in the front matter needs quotes to be YAML',
    ]);
  });

  it('skills:lead-in: reads past a blank line and a comment, and says so [S05]', async () => {
    await using subject = await open();
    await writeSkill(subject, 'x', '\n---\nname: x\ndescription: d\n---\n');
    await writeSkill(subject, 'y', '<!-- c -->\n---\nname: y\ndescription: d\n---\n');
    expect(await namesOf(subject)).toEqual(['x', 'y']);
    for (const folder of ['x', 'y']) {
      expect(reasonsFor(subject, inSkills(subject, `${folder}/SKILL.md`))).toEqual([
        'there is a blank line or a comment before the front matter',
      ]);
    }
  });

  it('skills:unterminated: says which file has front matter that no line closes [S06]', async () => {
    await using subject = await open();
    await writeSkill(subject, 'good');
    await writeSkill(subject, 'x', '---\nname: x\ndescription: d\nBody');
    expect(await namesOf(subject)).toEqual(['good']);
    expect(subject.diagnostics()).toEqual([
      {
        kind: 'skill',
        path: inSkills(subject, 'x/SKILL.md'),
        reason: 'no line --- closes its front matter',
        severity: 'error',
      },
    ]);
  });

  it('skills:no-name: folds a description of several lines, and names the skill after its folder [S08]', async () => {
    await using subject = await open();
    await writeSkill(subject, 'foo', '---\ndescription: >\n  one\n  two\n---\n');
    expect(await subject.list()).toMatchObject([{ name: 'foo', description: 'one two' }]);
    expect(reasonsFor(subject, inSkills(subject, 'foo/SKILL.md'))).toEqual([
      "it has no name, so its folder's name is used",
    ]);
  });

  it('skills:lookup: takes a name for a listed name and never for a path [S17]', async () => {
    await using subject = await open();
    await writeSkill(subject, 'foo');
    await subject.backend.writeFile('other/SKILL.md', 'not a skill');
    for (const name of ['/etc', '../other', 'foo/', './foo', '__proto__', '']) {
      await expect(subject.remove(name)).rejects.toThrow(SkillNotFoundError);
    }
    expect(await namesOf(subject)).toEqual(['foo']);
    expect(await subject.backend.stat('other/SKILL.md')).toMatchObject({ kind: 'file' });
  });

  it('skills:format-warnings: lists what departs from the format, with a warning for each point', async () => {
    await using subject = await open();
    await writeSkill(subject, 'odd', `---\nname: Odd Name\ndescription: ${'d'.repeat(1_025)}\n---\n`);
    await writeSkill(subject, 'bare', '---\nname: bare\n---\n');
    expect(await namesOf(subject)).toEqual(['Odd Name', 'bare']);
    expect(reasonsFor(subject, inSkills(subject, 'odd/SKILL.md'))).toEqual([
      'its name should be lower-case letters, digits and single hyphens',
      'its name "Odd Name" is not that of its folder',
      'its description is longer than 1024 characters',
    ]);
    expect(reasonsFor(subject, inSkills(subject, 'bare/SKILL.md'))).toEqual([
      'it has no description, so no agent can know when to use it',
    ]);
  });

  it('skills:diagnostics-follow: takes back what was said of a skill once it is put right', async () => {
    await using subject = await open();
    await writeSkill(subject, 'x', 'no front matter');
    await writeSkill(subject, 'y', 'no front matter');
    expect(await namesOf(subject)).toEqual([]);
    expect(subject.diagnostics()).toHaveLength(2);
    await writeSkill(subject, 'x');
    await subject.backend.remove(inSkills(subject, 'y'), { recursive: true });
    expect(await namesOf(subject)).toEqual(['x']);
    expect(subject.diagnostics()).toEqual([]);
  });
}
