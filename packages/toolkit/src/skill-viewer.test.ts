import { collectToolResult, type Skill, type ToolResult } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { skillPrompt } from './skill-prompt.ts';
import { skillViewer } from './skill-viewer.ts';

const report: Skill = {
  name: 'weekly report',
  description: 'Writes the report\nof a week.',
  directory: '/w/skills/weekly_report',
  path: '/w/skills/weekly_report/SKILL.md',
  body: '# Weekly report\n\nRun `scripts/collect.sh` first.\n',
  frontMatter: {},
};

const view = async (input: unknown): Promise<ToolResult> => await collectToolResult(skillViewer([report]).call(input));

describe('skillViewer', () => {
  it('shows the text of SKILL.md and the folder', async () => {
    const result = await view({ skill: 'weekly report' });
    expect(result).toMatchObject({
      state: 'success',
      content: [
        {
          text: 'The folder of this skill is /w/skills/weekly_report\n\n# Weekly report\n\nRun `scripts/collect.sh` first.\n',
        },
      ],
    });
  });

  it.each(['/etc', '../weekly_report', 'constructor', ''])(
    '[S17] finds no skill called %j, only listed names',
    async (skill) => {
      const result = await view({ skill });
      expect(result.state).toBe('error');
      expect(result.content).toMatchObject([
        { text: `Skill ${JSON.stringify(skill)} not found. There are: "weekly report".` },
      ]);
    },
  );

  it.each([undefined, null, {}, { skill: 7 }])('says which parameter is missing in %j', async (input) => {
    const result = await view(input);
    expect(result.state).toBe('error');
    expect(result.content).toMatchObject([{ text: expect.stringContaining('"skill"') }]);
  });
});

describe('skillPrompt', () => {
  it('names each skill on one line, with the path of its SKILL.md', () => {
    expect(skillPrompt([report]).split('\n')).toContain(
      '- weekly report: Writes the report of a week. (/w/skills/weekly_report/SKILL.md)',
    );
  });

  it('is empty without skills', () => {
    expect(skillPrompt([])).toBe('');
  });

  it('cuts a long description between characters', () => {
    const [, , entry = ''] = skillPrompt([{ ...report, description: `${'a'.repeat(1_023)}😀 and more` }]).split('\n');
    expect(entry).toContain(`${'a'.repeat(1_023)}… (`);
    expect(entry).not.toContain('more');
  });
});
