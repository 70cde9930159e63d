import type { Tool as McpToolDescription } from '@modelcontextprotocol/sdk/types.js';

/** The names of the three tools that lead to all others. */
export const LAZY_TOOLS = { list: 'ListTools', describe: 'DescribeTool', call: 'CallTool' } as const;

const MAX_LINE_LENGTH = 160;

const nameParameter = { name: { type: 'string', description: 'The name of a tool, as ListTools has it.' } };

/** Three tools in the place of all others, for clients that have few places, or models that many tools confuse. */
export function lazyDescriptions({ isReadOnly }: { readonly isReadOnly: boolean }): readonly McpToolDescription[] {
  const looks = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const acts = isReadOnly
    ? { ...looks, openWorldHint: true }
    : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  return [
    {
      name: LAZY_TOOLS.list,
      title: 'List tools',
      description: 'Lists the tools of the workspace: files, search, a shell, skills, and its MCP servers.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'Only tools with this in their name or description.' } },
        additionalProperties: false,
      },
      annotations: { title: 'List tools', ...looks },
    },
    {
      name: LAZY_TOOLS.describe,
      title: 'Describe a tool',
      description: 'Tells what a tool does and which arguments it takes.',
      inputSchema: { type: 'object', properties: nameParameter, required: ['name'], additionalProperties: false },
      annotations: { title: 'Describe a tool', ...looks },
    },
    {
      name: LAZY_TOOLS.call,
      title: 'Call a tool',
      description: 'Calls a tool of the workspace. Look at DescribeTool first for its arguments.',
      inputSchema: {
        type: 'object',
        properties: { ...nameParameter, arguments: { type: 'object', description: 'The arguments of the tool.' } },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: { title: 'Call a tool', ...acts },
    },
  ];
}

/** A line for each tool whose name or description has `query` in it. */
export function listText(tools: readonly McpToolDescription[], query: string): string {
  const wanted = query.toLowerCase();
  const lines = tools
    .filter(({ name, description = '' }) => `${name}\n${description}`.toLowerCase().includes(wanted))
    .map(({ name, title, description = '' }) => {
      const [first = ''] = description.split('\n');
      return `- ${name}: ${(first || title || '').slice(0, MAX_LINE_LENGTH)}`;
    });
  return lines.length > 0 ? lines.join('\n') : `No tool has ${JSON.stringify(query)} in its name or description.`;
}

/** All that there is to know for a call. */
export function describeText({ name, title, description, inputSchema, annotations }: McpToolDescription): string {
  return JSON.stringify({ name, title, description, inputSchema, annotations }, undefined, 2);
}
