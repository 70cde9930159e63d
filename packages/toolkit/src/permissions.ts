import type { Tool } from '@agent-workspace/core';

/** What happens to a call: it runs, somebody is asked first, or it does not run. */
export type Verdict = 'allow' | 'ask' | 'deny';

/** A call that is about to run. */
export interface PermissionCall {
  /** The tool's name, as the model used it. */
  readonly name: string;
  readonly tool: Tool;
  /** As the model wrote it: check before you rely on it. */
  readonly input: unknown;
  readonly toolCallId?: string | undefined;
  /** Aborted when the call is no longer wanted: take a question back then. */
  readonly signal?: AbortSignal | undefined;
}

/** The verdict on every call of a tool, or how it is found for each. A function that throws fails the call. */
export type PermissionRule = Verdict | ((call: PermissionCall) => Verdict | Promise<Verdict>);

export interface Permissions {
  /**
   * - `'full'`: every call runs.
   * - `'ask'`: calls of tools that are not read-only wait for an approval.
   * - `'read-only'`: only tools that are read-only are listed and run; no rule adds another.
   *
   * Default `'full'`.
   */
  readonly mode?: 'read-only' | 'ask' | 'full' | undefined;
  /** Rules for tools by their names, which go before the mode. A tool that is plainly denied is not listed. */
  readonly tools?: Readonly<Record<string, PermissionRule>> | undefined;
  /**
   * Asks somebody whether a call may run. Without it such calls do not run, unless the adapter has
   * asked by itself and says so with `isApproved`.
   */
  readonly approve?: ((call: PermissionCall) => boolean | Promise<boolean>) | undefined;
}

/** Why no call of a tool may run whatever its input, as a model is told; `undefined` if some may. */
export function refusalOf(tool: Tool, { mode, tools }: Permissions): string | undefined {
  if (ruleOf(tool, tools) === 'deny') return 'it is not permitted here';
  if (mode === 'read-only' && !tool.isReadOnly) return 'only tools that change nothing are permitted here';
  return undefined;
}

/** The verdict on a call. @throws what a rule throws */
export async function judge(call: PermissionCall, permissions: Permissions): Promise<Verdict> {
  const { tool } = call;
  if (refusalOf(tool, permissions) !== undefined) return 'deny';
  const rule = ruleOf(tool, permissions.tools);
  if (typeof rule === 'function') return await rule(call);
  return rule ?? (permissions.mode === 'ask' && !tool.isReadOnly ? 'ask' : 'allow');
}

function ruleOf({ name }: Tool, tools: Permissions['tools'] = {}): PermissionRule | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
