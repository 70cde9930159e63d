import { type Logger, MCPProtocolViolatedError, type MCPToolDescription } from '@agent-workspace/core';

/** Far beyond what a model could be shown, so that only a server that never ends gets there. */
const MAX_PAGES = 1000;
const MAX_TOOLS = 10_000;

export interface ListAllToolsOptions {
  /** The server's name. */
  readonly name: string;
  readonly logger: Logger;
  readonly requestPage: (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>;
}

function isTool(value: unknown): value is MCPToolDescription {
  return typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';
}

/** A schema may be missing or no object at all; a tool without parameters is what is left then. */
function withSchema(tool: MCPToolDescription): MCPToolDescription {
  const schema: unknown = tool.inputSchema;
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
    ? tool
    : { ...tool, inputSchema: { type: 'object', properties: {} } };
}

/**
 * Every page of `tools/list`. Of two tools with one name the first counts.
 *
 * @throws `mcp-protocol-violated` where the pages do not end
 */
export async function listAllTools(options: ListAllToolsOptions): Promise<readonly MCPToolDescription[]> {
  const { name, logger } = options;
  const tools = new Map<string, MCPToolDescription>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let seen = 0;
  do {
    const page = await options.requestPage(cursor);
    if (!Array.isArray(page['tools'])) {
      throw new MCPProtocolViolatedError({ name, reason: 'tools/list answered without a list of tools' });
    }
    for (const tool of page['tools'] as readonly unknown[]) {
      seen += 1;
      if (!isTool(tool)) logger.warn('A tool without a name is left out', { server: name });
      else if (tools.has(tool.name))
        logger.warn('A second tool of the same name is left out', { server: name, tool: tool.name });
      else tools.set(tool.name, withSchema(tool));
    }
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined;
    if (cursor !== undefined && cursors.has(cursor)) {
      throw new MCPProtocolViolatedError({ name, reason: `tools/list gave the page ${JSON.stringify(cursor)} twice` });
    }
    if (cursor !== undefined) cursors.add(cursor);
    if (cursors.size >= MAX_PAGES || seen > MAX_TOOLS) {
      throw new MCPProtocolViolatedError({
        name,
        reason: `tools/list has more than ${MAX_PAGES} pages or ${MAX_TOOLS} tools`,
      });
    }
  } while (cursor !== undefined);
  return [...tools.values()];
}
