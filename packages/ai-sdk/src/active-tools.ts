import type { ToolSet } from 'ai';
import type { OpenedTools } from './workspace-tools.ts';

export interface ActiveToolsOptions {
  readonly opened: OpenedTools;
  /** All tools of the agent, those of others too. */
  readonly tools: ToolSet;
  /** Those that its developer has left active. Default: all. */
  readonly activeTools: readonly string[] | undefined;
}

/**
 * Which of an agent's tools a step has: what is not ours, and what is in an active group.
 * `undefined` where there are no groups, so that the agent's own settings stay as they are.
 */
export function activeTools({ opened, tools, ...options }: ActiveToolsOptions): string[] | undefined {
  if (!opened.hasGroups) return undefined;
  const names = options.activeTools ?? Object.keys(tools);
  return names.filter((name) => tools[name] !== opened.tools[name] || opened.toolkit.isActive(name));
}
