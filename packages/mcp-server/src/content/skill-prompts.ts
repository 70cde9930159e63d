import type { Skill } from '@agent-workspace/core';
import { ErrorCode, type GetPromptResult, type ListPromptsResult, McpError } from '@modelcontextprotocol/sdk/types.js';

/** What a user may say along with a skill, such as the words after a slash command. */
const ARGUMENT = 'request';

/** One prompt for each skill. Clients show them as commands of their users. */
export function listSkillPrompts(skills: readonly Skill[]): ListPromptsResult {
  return {
    prompts: skills.map(({ name, description }) => ({
      name,
      title: name,
      description,
      arguments: [{ name: ARGUMENT, description: 'What to do with this skill.', required: false }],
    })),
  };
}

export function getSkillPrompt(
  skills: readonly Skill[],
  {
    name,
    arguments: given = {},
  }: { readonly name: string; readonly arguments?: Readonly<Record<string, string>> | undefined },
): GetPromptResult {
  const skill = skills.find((candidate) => candidate.name === name);
  if (skill === undefined) {
    const known = skills.map((each) => JSON.stringify(each.name)).join(', ') || 'none';
    throw new McpError(ErrorCode.InvalidParams, `There is no skill ${JSON.stringify(name)}. There are: ${known}.`);
  }
  const request = given[ARGUMENT]?.trim() ?? '';
  const parts = [`Use the skill ${name}. Its folder is ${skill.directory}`, skill.body.trim(), request];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return { description: skill.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
