import type { ToolResult } from '@agent-workspace/core';
import type { ToolOutput } from './tool-output.ts';
import type { PermissionCall } from './permissions.ts';

/** What a hook makes of a call: other input for the tool, or an answer in its place. */
export type CallChange = { readonly input: unknown } | { readonly answer: ToolOutput };

/**
 * Code of the host around every call. A hook that throws fails the call that it was called for,
 * with its message.
 */
export interface ToolHooks {
  /** Before permissions are looked at. Nothing returned leaves the call as it is. */
  readonly beforeCall?:
    | ((call: PermissionCall) => CallChange | undefined | void | Promise<CallChange | undefined | void>)
    | undefined;
  /** With the whole result of a tool that ran. Nothing returned leaves it as it is. */
  readonly afterCall?:
    | ((
        call: PermissionCall,
        result: ToolResult,
      ) => ToolResult | undefined | void | Promise<ToolResult | undefined | void>)
    | undefined;
}
