import type { Skill } from '@agent-workspace/core';
import { SKILL_VIEWER_NAME } from './skill-viewer.ts';

/** Every skill's description is in every prompt. The Agent Skills format allows as many characters. */
const MAX_DESCRIPTION_CHARS = 1_024;

/**
 * What the system prompt says about skills: for each its name, its description and where its
 * SKILL.md is. Empty without skills.
 */
export function skillPrompt(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const entries = skills.map(({ name, description, path }) => `- ${name}: ${oneLine(description)} (${path})`);
  return [
    '<skills>',
    'A skill is a folder with instructions, and often scripts, for one kind of task. When a task is what a skill ' +
      `is for, read the skill first, with the ${SKILL_VIEWER_NAME} tool, and follow it.`,
    ...entries,
    '</skills>',
  ].join('\n');
}

function oneLine(description: string): string {
  const line = description.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= MAX_DESCRIPTION_CHARS) return line;
  return `${line.slice(0, MAX_DESCRIPTION_CHARS).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
