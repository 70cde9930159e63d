import type { Skill, Tool, ToolChunk } from '@agent-workspace/core';
import { textChunk } from './tool-output.ts';

/** The name of the tool that shows skills, as models know it. */
export const SKILL_VIEWER_NAME = 'Skill';

/**
 * A tool with which the model reads a skill by its name. Names are looked up among `skills` and
 * nowhere else, so that a name is never taken for a path.
 *
 * @param skills the skills, or a function that gives those that there are now
 */
export function skillViewer(skills: readonly Skill[] | (() => Promise<readonly Skill[]>)): Tool {
  return {
    name: SKILL_VIEWER_NAME,
    description: 'Shows the instructions of a skill, and the folder where its scripts and references are.',
    inputSchema: {
      type: 'object',
      properties: { skill: { type: 'string', description: 'The name of the skill, as listed.' } },
      required: ['skill'],
      additionalProperties: false,
    },
    annotations: { title: 'Read a skill', readOnlyHint: true, openWorldHint: false },
    isReadOnly: true,
    isConcurrencySafe: true,
    isSelfPaging: false,
    checksInput: true,
    async *call(input: unknown): AsyncIterable<ToolChunk> {
      const name = (input as { readonly skill?: unknown } | null | undefined)?.skill;
      if (typeof name !== 'string') {
        yield textChunk('The parameter "skill" is required: the name of a skill, as a string.', 'error');
        return;
      }
      const current = typeof skills === 'function' ? await skills() : skills;
      const skill = current.find((each) => each.name === name);
      if (skill === undefined) {
        const known = current.map((each) => JSON.stringify(each.name)).join(', ') || 'none';
        yield textChunk(`Skill ${JSON.stringify(name)} not found. There are: ${known}.`, 'error');
        return;
      }
      yield textChunk(`The folder of this skill is ${skill.directory}\n\n${skill.body}`);
    },
  };
}
