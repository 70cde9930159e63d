import type { MCPTool, Tool, ToolAnnotations } from '@agent-workspace/core';
import type { Tool as McpToolDescription } from '@modelcontextprotocol/sdk/types.js';

/** What MCP assumes of a tool that says nothing, which some clients do not know. */
const ASSUMED = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** A tool as `tools/list` has it, with a title and every annotation. */
export function describeTool(tool: Tool): McpToolDescription {
  const title = titleOf(tool);
  return {
    name: tool.name,
    title,
    description: tool.description,
    // A schema of an MCP server may leave the type out; the protocol wants it.
    inputSchema: { ...tool.inputSchema, type: 'object' },
    annotations: { title, ...completeAnnotations(tool) },
  };
}

function titleOf(tool: Tool): string {
  if (!isMCPTool(tool)) return tool.annotations?.title ?? tool.name;
  const { mcpTool, serverName, toolName } = tool;
  return mcpTool.title ?? mcpTool.annotations?.title ?? `${serverName}: ${toolName}`;
}

function isMCPTool(tool: Tool): tool is MCPTool {
  return 'serverName' in tool && 'mcpTool' in tool;
}

function completeAnnotations(tool: Tool): Omit<ToolAnnotations, 'title'> {
  const given = tool.annotations ?? {};
  const readOnlyHint = given.readOnlyHint ?? tool.isReadOnly;
  return {
    readOnlyHint,
    destructiveHint: given.destructiveHint ?? (readOnlyHint ? false : ASSUMED.destructiveHint),
    idempotentHint: given.idempotentHint ?? (readOnlyHint ? true : ASSUMED.idempotentHint),
    openWorldHint: given.openWorldHint ?? ASSUMED.openWorldHint,
  };
}
