import { type MCPTool, type Tool, ToolkitOptionsInvalidError } from '@agent-workspace/core';

/** Where a tool of a toolkit comes from. */
export interface ToolOrigin {
  /** The group it belongs to; `basic` for what is in none. */
  readonly group: string;
  /** The MCP server whose tool it is. */
  readonly server?: string | undefined;
}

/** Gives a tool the name that the model sees; nothing returned leaves its own. */
export type RenameTool = (tool: Tool, origin: ToolOrigin) => string | undefined;

/** What model providers take. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/u;

/**
 * The same tool by another name. An MCP tool stays one.
 *
 * @throws `toolkit-options-invalid`
 */
export function renamed(tool: Tool, name: string): Tool {
  if (name === tool.name) return tool;
  if (!TOOL_NAME.test(name)) {
    throw new ToolkitOptionsInvalidError({
      option: 'rename',
      reason: `it calls ${tool.name} ${JSON.stringify(name)}; a name is 1 to 64 characters of [A-Za-z0-9_-].`,
    });
  }
  const { description, inputSchema, annotations, isReadOnly, isConcurrencySafe, isSelfPaging, checksInput } = tool;
  const other: Tool = {
    name,
    description,
    inputSchema,
    annotations,
    isReadOnly,
    isConcurrencySafe,
    isSelfPaging,
    checksInput,
    call: (input, options) => tool.call(input, options),
  };
  if (!isMCPTool(tool)) return other;
  const { serverName, toolName, mcpTool } = tool;
  const otherOfServer: MCPTool = { ...other, serverName, toolName, mcpTool };
  return otherOfServer;
}

/** Whether a tool is of an MCP server. */
export function isMCPTool(tool: Tool): tool is MCPTool {
  return 'serverName' in tool && 'mcpTool' in tool;
}
