import { type MCPClient, type Tool, ToolkitOptionsInvalidError } from '@agent-workspace/core';
import type { SkillOrLoader } from './skill-loader.ts';

/** The group that is always active: what a toolkit is given outside of its `toolGroups`. */
export const BASIC_GROUP = 'basic';

/** Group names are keys of a tool's input, for which providers allow no more than this. */
const GROUP_NAME = /^[A-Za-z0-9_.-]{1,64}$/u;

/** Tools, servers and skills for one kind of task, which the model activates when it needs them. */
export interface ToolGroup {
  /** At most 64 characters of `[A-Za-z0-9_.-]`; not `basic`. */
  readonly name: string;
  /** Tells the model what the group is for and when to activate it. */
  readonly description: string;
  /** What the model is told when the group becomes active: how to use its tools. */
  readonly instructions?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
  readonly mcps?: readonly MCPClient[] | undefined;
  readonly skillsOrLoaders?: readonly SkillOrLoader[] | undefined;
  /** Active from the beginning. Default `false`. */
  readonly active?: boolean | undefined;
}

/** @throws `toolkit-options-invalid` */
export function checkGroupNames(groups: readonly ToolGroup[]): void {
  const seen = new Set<string>([BASIC_GROUP]);
  for (const { name } of groups) {
    if (!GROUP_NAME.test(name)) {
      throw new ToolkitOptionsInvalidError({
        option: 'toolGroups',
        reason: `the name ${JSON.stringify(name)} is not of 1 to 64 characters of [A-Za-z0-9_.-].`,
      });
    }
    if (seen.has(name)) {
      const reason =
        name === BASIC_GROUP
          ? 'the name "basic" stands for what is given outside of the groups: put its tools there.'
          : `two groups are called ${JSON.stringify(name)}. Rename one of them.`;
      throw new ToolkitOptionsInvalidError({ option: 'toolGroups', reason });
    }
    seen.add(name);
  }
}
