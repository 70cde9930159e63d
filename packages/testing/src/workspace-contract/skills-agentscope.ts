import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentScopeSample, agentScopeSample } from '../agentscope-sample.ts';
import { makeFixtureSkill } from '../skills/fixture-skill.ts';
import {
  foldersIn,
  inSkills,
  namesOf,
  readHostTree,
  readIndex,
  readText,
  reasonsFor,
  type SkillsContractOptions,
  type SkillsSubject,
  writeSkill,
} from './skills-subject.ts';

const WEEKLY = 'Weekly Report: Ünï';

/** Directories that AgentScope wrote. */
export function skillsAgentScopeCases({ open }: SkillsContractOptions): void {
  const openSample = async (sample: AgentScopeSample): Promise<SkillsSubject> => {
    const subject = await open();
    const entries = await readHostTree(join(agentScopeSample(sample), 'skills'));
    await subject.backend.writeTree(subject.layout.skillsDirectory, entries, { replace: true });
    return subject;
  };
  const filesOf = async (subject: SkillsSubject): Promise<ReadonlyMap<string, string>> => {
    const entries = await subject.backend.readTree(subject.layout.skillsDirectory);
    return new Map(
      entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.path, Buffer.from(entry.bytes).toString()]] : [])),
    );
  };

  describe('AgentScope', () => {
    it('skills:agentscope-v1: lists flat folders under the names of their index', async () => {
      await using subject = await openSample('v1');
      const before = await filesOf(subject);
      expect(await subject.list()).toMatchObject([
        { name: WEEKLY, description: 'Write the weekly report.', directory: inSkills(subject, 'Weekly_Report__Ünï') },
        { name: 'pdf-notes', description: 'Take notes from a PDF file.' },
        { name: 'pdf-notes (1)', description: 'The same name, another text.' },
      ]);
      expect(await filesOf(subject)).toEqual(before);
      expect(await namesOf(subject, 'agent-1')).toEqual([WEEKLY, 'pdf-notes', 'pdf-notes (1)']);
      expect(await readIndex(subject, 'agent-1/.index')).toMatchObject({
        skills: ((await readIndex(subject, '.skills')) as { readonly skills: object }).skills,
      });
    });

    it('skills:agentscope-v1-change: keeps the form of the index and what a change does not touch', async () => {
      await using skill = await makeFixtureSkill({ name: 'new' });
      await using subject = await openSample('v1');
      const before = (await readIndex(subject, '.skills')) as { readonly skills: Record<string, unknown> };
      await subject.add({ path: skill.path });
      await subject.remove('pdf-notes');
      const { 'pdf-notes': _, ...kept } = before.skills;
      const after = (await readIndex(subject, '.skills')) as { readonly skills: Record<string, unknown> };
      expect(after).toEqual({
        skills_dir_mtime: expect.any(Number),
        skills: { ...kept, new: { hash: expect.any(String), skill_name: 'new', tree_hash: expect.any(String) } },
      });
      expect(Object.keys(after.skills)).toEqual([...Object.keys(kept), 'new']);
      const text = await readText(subject, inSkills(subject, '.skills'));
      expect(text).toBe(JSON.stringify(after, null, 2));
      expect(text).toContain('Ünï');
    });

    it('skills:agentscope-scoped: lists the template and what each agent has', async () => {
      await using subject = await openSample('v2-scoped');
      const before = await filesOf(subject);
      expect(await namesOf(subject)).toEqual([WEEKLY, 'pdf-notes']);
      expect(await namesOf(subject, 'agent-1')).toEqual(['pdf-notes', 'pdf-notes (1)']);
      expect(await namesOf(subject, 'agent-2')).toEqual([WEEKLY, 'pdf-notes']);
      expect(await filesOf(subject)).toEqual(before);
      expect(await namesOf(subject, 'agent-3')).toEqual([WEEKLY, 'pdf-notes']);
      expect(await foldersIn(subject)).toEqual(['.seed', 'agent-1', 'agent-2', 'agent-3']);
    });

    it('skills:agentscope-scoped-change: changes the template in .seed, or the one agent, and nothing else', async () => {
      await using skill = await makeFixtureSkill({ name: 'new' });
      await using subject = await openSample('v2-scoped');
      const before = await filesOf(subject);
      await subject.add({ path: skill.path });
      await subject.remove('pdf-notes (1)', 'agent-1');
      const after = await filesOf(subject);
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      );
      expect(changed.toSorted()).toEqual([
        '.seed/.index',
        '.seed/new/SKILL.md',
        'agent-1/.index',
        'agent-1/pdf-notes_1/SKILL.md',
      ]);
      expect(await namesOf(subject, 'agent-1')).toEqual(['pdf-notes']);
    });

    it('skills:agentscope-strays: says of a folder beside the template, or without SKILL.md, that it is not listed', async () => {
      await using subject = await openSample('v2-scoped');
      await writeSkill(subject, 'mine');
      await subject.backend.writeFile(inSkills(subject, 'agent-2/draft/skill.md'), 'the name is in the wrong case');
      expect(await namesOf(subject)).toEqual([WEEKLY, 'pdf-notes']);
      expect(reasonsFor(subject, inSkills(subject, 'mine'))).toEqual([
        `it is not listed, since the skills of this workspace are in .seed: move it to ${inSkills(subject, '.seed/mine')}`,
      ]);
      await subject.list('agent-2');
      expect(reasonsFor(subject, inSkills(subject, 'agent-2/draft'))).toEqual(['it is no skill: it has no SKILL.md']);
      await subject.purgeAgent('agent-2');
      expect(reasonsFor(subject, inSkills(subject, 'agent-2/draft'))).toEqual([]);
    });

    it('skills:agentscope-unscoped: reads default, and changes the template and default', async () => {
      await using skill = await makeFixtureSkill({ name: 'new' });
      await using subject = await openSample('v2-unscoped');
      expect(await subject.list()).toMatchObject([
        { name: WEEKLY, directory: inSkills(subject, 'default/Weekly_Report__Ünï') },
        { name: 'pdf-notes', directory: inSkills(subject, 'default/pdf-notes') },
      ]);
      expect(await subject.add({ path: skill.path })).toMatchObject({ directory: inSkills(subject, 'default/new') });
      await subject.remove('pdf-notes');
      for (const directory of ['.seed', 'default']) {
        expect(await foldersIn(subject, directory)).toEqual(['.index', 'Weekly_Report__Ünï', 'new']);
        expect(await readIndex(subject, `${directory}/.index`)).toMatchObject({
          skills: { Weekly_Report__Ünï: { skill_name: WEEKLY }, new: { skill_name: 'new' } },
        });
      }
      expect(await foldersIn(subject)).toEqual(['.seed', 'default']);
      expect(await subject.add({ path: skill.path })).toMatchObject({ name: 'new' });
    });
  });
}
