import type { Skill, Tool, ToolChunk } from '@agent-workspace/core';
import { textChunk } from './text-chunk.ts';

/** The name of the tool that shows skills, as models know it. */
export const SKILL_VIEWER_NAME = 'Skill';

/**
 * A tool with which the model reads a skill by its name. Names are looked up among `skills` and
 * nowhere else, so that a name is never taken for a path.
 */
export function skillViewer(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    name: SKILL_VIEWER_NAME,
    description: 'Shows the instructions of a skill, and the folder where its scripts and references are.',
    inputSchema: {
      type: 'object',
      properties: { skill: { type: 'string', description: 'The name of the skill, as listed.' } },
      required: ['skill'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    isReadOnly: true,
    isConcurrencySafe: true,
    isSelfPaging: false,
    async *call(input: unknown): AsyncIterable<ToolChunk> {
      const name = (input as { readonly skill?: unknown } | null | undefined)?.skill;
      if (typeof name !== 'string') {
        yield textChunk('The parameter "skill" is required: the name of a skill, as a string.', 'error');
        return;
      }
      const skill = byName.get(name);
      if (skill === undefined) {
        const known = [...byName.keys()].map((each) => JSON.stringify(each)).join(', ');
        yield textChunk(`Skill ${JSON.stringify(name)} not found. There are: ${known}.`, 'error');
        return;
      }
      yield textChunk(`The folder of this skill is ${skill.directory}\n\n${skill.body}`);
    },
  };
}
