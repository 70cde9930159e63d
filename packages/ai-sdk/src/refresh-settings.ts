import type { Instructions, ToolSet } from 'ai';

export interface Refresh {
  /** What was handed out when the agent was made. */
  readonly initial: { readonly tools: ToolSet; readonly instructions: string };
  /** What it would be now. */
  readonly current: { readonly tools: ToolSet; readonly instructions: string };
}

/**
 * An agent's tools with ours up to date: those that its developer left out stay out, and those put
 * beside or in place of ours stay.
 */
export function refreshTools(tools: ToolSet | undefined, { initial, current }: Refresh): ToolSet {
  if (tools === undefined) return current.tools;
  const isOurs = (name: string): boolean => Object.hasOwn(initial.tools, name) && tools[name] === initial.tools[name];
  const isLeftOut = (name: string): boolean => Object.hasOwn(initial.tools, name) && !Object.hasOwn(tools, name);
  return Object.fromEntries([
    ...Object.entries(current.tools).filter(([name]) => !isLeftOut(name)),
    ...Object.entries(tools).filter(([name]) => !isOurs(name)),
  ]);
}

/** An agent's instructions with our part of them up to date. */
export function refreshInstructions(
  instructions: Instructions | undefined,
  { initial, current }: Refresh,
): Instructions | undefined {
  if (typeof instructions !== 'string' || initial.instructions === '') return instructions;
  // A function, since `$` has a meaning in a replacement text.
  return instructions.replace(initial.instructions, () => current.instructions);
}
