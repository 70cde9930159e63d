import type { Skill, Tool, ToolChunk } from '@agent-workspace/core';
import { textChunk } from './tool-output.ts';
import { skillPrompt } from './skill-prompt.ts';
import type { ToolGroup } from './tool-group.ts';

/** The name of the tool that activates groups, as models know it. */
export const RESET_TOOLS_NAME = 'reset_tools';

const DESCRIPTION = `Chooses which groups of tools you have, for what you are about to do.

- Each call names the final state of all groups, not a change: the groups set to true are active afterwards, and all others are not.
- Activate what the task needs and leave out what it no longer does. The new tools can be called in the next step.
- The result has the instructions of the active groups. Follow them; call this again to read them once more.`;

/**
 * A tool with which the model chooses the active groups. Input that is wrong changes nothing.
 *
 * @param activate makes these groups, and no others, active, and gives their skills
 */
export function resetTools(
  groups: readonly ToolGroup[],
  activate: (names: readonly string[]) => Promise<readonly Skill[]>,
): Tool {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return {
    name: RESET_TOOLS_NAME,
    description: DESCRIPTION,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        groups.map(({ name, description }) => [name, { type: 'boolean', default: false, description }]),
      ),
      additionalProperties: false,
    },
    annotations: { title: 'Choose tools', readOnlyHint: true, openWorldHint: false },
    // It changes what the agent sees and nothing that is the workspace's.
    isReadOnly: true,
    // The calls beside it find the groups either as they were or as they are then.
    isConcurrencySafe: false,
    isSelfPaging: false,
    checksInput: true,
    async *call(input: unknown): AsyncIterable<ToolChunk> {
      const wanted = Object.entries(typeof input === 'object' && input !== null ? input : {});
      const problems = wanted.flatMap(([name, value]) => {
        if (!byName.has(name)) return [`- ${name}: there is no such group`];
        return typeof value === 'boolean'
          ? []
          : [`- ${name}: true or false is expected, ${JSON.stringify(value)} given`];
      });
      if (problems.length > 0) {
        const known = groups.map(({ name }) => name).join(', ');
        yield textChunk(`Nothing was changed:\n${problems.join('\n')}\nThe groups are: ${known}.`, 'error');
        return;
      }
      const active = groups.filter(({ name }) => wanted.some(([key, value]) => key === name && value === true));
      const skills = await activate(active.map(({ name }) => name));
      yield textChunk(report(active, skills));
    },
  };
}

function report(active: readonly ToolGroup[], skills: readonly Skill[]): string {
  if (active.length === 0) return 'No group is active now; the basic tools are there as always.';
  const notes = active.map(({ name, instructions }) =>
    instructions === undefined ? [] : [`<group name="${name}">\n${instructions}\n</group>`],
  );
  const names = active.map(({ name }) => name).join(', ');
  const parts = [`Active groups: ${names}. All others are not.`, ...notes.flat(), skillPrompt(skills)];
  return parts.filter((part) => part !== '').join('\n');
}
