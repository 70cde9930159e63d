import { z } from 'zod';
import { MCPDeclarationInvalidError } from '../errors/mcp-declaration-invalid-error.ts';
import { lazy } from '../lazy.ts';

/*
 * The three forms of an MCP declaration: ours, AgentScope's (as `.mcp` holds it) and the
 * `mcpServers` JSON of MCP clients. Ours is what the code works with.
 */

const schemas = lazy(() => {
  const name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'a name has 1 to 128 letters, digits, "_" or "-"');
  const url = z.url({ protocol: /^https?$/ });
  const strings = z.array(z.string());
  const stringsByName = z.record(z.string(), z.string());
  const seconds = z.number().positive().nullish();

  const common = {
    name,
    enableTools: strings.optional(),
    disableTools: strings.optional(),
    executionTimeoutMs: z.number().positive().optional(),
  };
  const stdio = z.strictObject({
    ...common,
    transport: z.literal('stdio').default('stdio'),
    command: z.string().min(1),
    args: strings.default([]),
    env: stringsByName.default({}),
    cwd: z.string().optional(),
    isStateful: z.literal(true).default(true),
  });
  const http = z.strictObject({
    ...common,
    transport: z.enum(['http', 'sse']).optional(),
    url,
    headers: stringsByName.default({}),
    timeoutMs: z.number().positive().optional(),
    isStateful: z.boolean().default(false),
  });

  const agentScopeConfig = z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('stdio_mcp'),
      command: z.string().min(1),
      args: strings.nullish(),
      env: stringsByName.nullish(),
      cwd: z.string().nullish(),
    }),
    z.looseObject({ type: z.literal('http_mcp'), url, headers: stringsByName.nullish(), timeout: seconds }),
  ]);
  const agentScope = z.looseObject({
    name,
    is_stateful: z.boolean().default(true),
    mcp_config: agentScopeConfig,
    enable_tools: strings.nullish(),
    disable_tools: strings.nullish(),
    execution_timeout: seconds,
  });

  return { stdio, http, agentScope };
});

/** A server that is a process of ours, spoken to over stdin and stdout. */
export interface StdioMcpDeclaration {
  readonly name: string;
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the small base environment. `${NAME}` as a whole value stands for a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: the workdir. */
  readonly cwd?: string | undefined;
  /** A process remembers: every session gets its own. */
  readonly isStateful: true;
  /** Only these tools are shown. */
  readonly enableTools?: readonly string[] | undefined;
  /** These tools are not shown. */
  readonly disableTools?: readonly string[] | undefined;
  /** Milliseconds for a call. Default 300,000. */
  readonly executionTimeoutMs?: number | undefined;
}

/** A server reached over streamable HTTP or, if its URL's path ends in `/sse` or `/messages/`, SSE. */
export interface HttpMcpDeclaration {
  readonly name: string;
  readonly transport: 'http' | 'sse';
  readonly url: string;
  /** `${NAME}` as a whole value stands for a secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for connecting. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Keeps a session, so that every session of ours gets its own. Default `false`. */
  readonly isStateful: boolean;
  readonly enableTools?: readonly string[] | undefined;
  readonly disableTools?: readonly string[] | undefined;
  /** Milliseconds for a call. Default 300,000. */
  readonly executionTimeoutMs?: number | undefined;
}

export type McpDeclaration = StdioMcpDeclaration | HttpMcpDeclaration;

type Defaulted = 'transport' | 'isStateful' | 'args' | 'env' | 'headers';
type WithDefaults<T> = Omit<T, Defaulted> & Partial<Pick<T, Extract<keyof T, Defaulted>>>;

/** One server in our form, defaults left out where they fit. */
export type McpServerInput = WithDefaults<StdioMcpDeclaration> | WithDefaults<HttpMcpDeclaration>;

/** The JSON that MCP clients are configured with. */
export interface McpServersJson {
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

/** What `addMcp` and `defaultMcps` take: one server in our form or AgentScope's, or `mcpServers` JSON. */
export type McpDeclarationInput = McpServerInput | McpServersJson | AgentScopeSpec;

/** A server as `.mcp` holds it. */
export interface AgentScopeSpec {
  readonly name: string;
  readonly mcp_config: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** AgentScope's rule: the path decides, not the query. */
function transportOf(url: string): 'http' | 'sse' {
  return /(\/sse|\/messages\/)$/.test(new URL(url).pathname) ? 'sse' : 'http';
}

function invalid(name: unknown, error: z.ZodError): MCPDeclarationInvalidError {
  return new MCPDeclarationInvalidError(
    { name: typeof name === 'string' ? name : '', reason: z.prettifyError(error) },
    { cause: error },
  );
}

function checkLists(declaration: McpDeclaration): McpDeclaration {
  const both = declaration.enableTools?.find((tool) => declaration.disableTools?.includes(tool));
  if (both !== undefined) {
    const reason = `the tool ${JSON.stringify(both)} is both enabled and disabled`;
    throw new MCPDeclarationInvalidError({ name: declaration.name, reason });
  }
  return declaration;
}

/** @throws `mcp-declaration-invalid` */
export function parseAgentScopeSpec(value: unknown): McpDeclaration {
  const parsed = schemas().agentScope.safeParse(value);
  if (!parsed.success) throw invalid((value as { name?: unknown } | null)?.name, parsed.error);
  const { data } = parsed;
  const shared = {
    name: data.name,
    ...(data.enable_tools != null && { enableTools: data.enable_tools }),
    ...(data.disable_tools != null && { disableTools: data.disable_tools }),
    ...(data.execution_timeout != null && { executionTimeoutMs: data.execution_timeout * 1000 }),
  };
  const config = data.mcp_config;
  if (config.type === 'stdio_mcp') {
    return checkLists({
      ...shared,
      transport: 'stdio',
      command: config.command,
      args: config.args ?? [],
      env: config.env ?? {},
      ...(config.cwd != null && { cwd: config.cwd }),
      isStateful: true,
    });
  }
  return checkLists({
    ...shared,
    transport: transportOf(config.url),
    url: config.url,
    headers: config.headers ?? {},
    ...(config.timeout != null && { timeoutMs: config.timeout * 1000 }),
    isStateful: data.is_stateful,
  });
}

/** Our form as AgentScope writes it: nulls written out, times in seconds. */
export function toAgentScopeSpec(declaration: McpDeclaration): AgentScopeSpec {
  const config =
    declaration.transport === 'stdio'
      ? {
          type: 'stdio_mcp',
          command: declaration.command,
          args: declaration.args,
          env: Object.keys(declaration.env).length > 0 ? declaration.env : null,
          cwd: declaration.cwd ?? null,
          encoding_error_handler: 'strict',
        }
      : {
          type: 'http_mcp',
          url: declaration.url,
          headers: Object.keys(declaration.headers).length > 0 ? declaration.headers : null,
          timeout: (declaration.timeoutMs ?? 30_000) / 1000,
        };
  return {
    name: declaration.name,
    is_stateful: declaration.isStateful,
    mcp_config: config,
    enable_tools: declaration.enableTools ?? null,
    disable_tools: declaration.disableTools ?? null,
    execution_timeout: declaration.executionTimeoutMs === undefined ? null : declaration.executionTimeoutMs / 1000,
  };
}

function parseServer(value: Readonly<Record<string, unknown>>): McpDeclaration {
  if ('mcp_config' in value) return parseAgentScopeSpec(value);
  if ('url' in value) {
    const parsed = schemas().http.safeParse(value);
    if (!parsed.success) throw invalid(value['name'], parsed.error);
    return checkLists({ ...parsed.data, transport: parsed.data.transport ?? transportOf(parsed.data.url) });
  }
  const parsed = schemas().stdio.safeParse(value);
  if (!parsed.success) throw invalid(value['name'], parsed.error);
  return checkLists(parsed.data);
}

function parseClientEntry(name: string, entry: unknown): McpDeclaration {
  if (typeof entry !== 'object' || entry === null) {
    throw new MCPDeclarationInvalidError({ name, reason: 'a server is an object with a command or a url' });
  }
  const { type, command, args, env, cwd, url, headers, timeout } = entry as Record<string, unknown>;
  if (url !== undefined) {
    return parseServer({
      name,
      url,
      ...(headers !== undefined && { headers }),
      ...(typeof timeout === 'number' && { timeoutMs: timeout }),
      ...(type === 'sse' && { transport: 'sse' }),
      ...((type === 'http' || type === 'streamable-http') && { transport: 'http' }),
    });
  }
  return parseServer({
    name,
    command,
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(cwd !== undefined && { cwd }),
  });
}

/**
 * Reads any of the three forms. `mcpServers` JSON may hold several servers; those that it marks
 * `disabled` are left out.
 *
 * @throws `mcp-declaration-invalid`
 */
export function parseMcpDeclarations(input: McpDeclarationInput): readonly McpDeclaration[] {
  if (typeof input !== 'object' || input === null) {
    throw new MCPDeclarationInvalidError({ name: '', reason: 'a declaration is an object' });
  }
  if (!('mcpServers' in input)) return [parseServer(input)];
  const servers = input.mcpServers;
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
    throw new MCPDeclarationInvalidError({ name: '', reason: 'mcpServers is an object of names and servers' });
  }
  return Object.entries(servers)
    .filter(([, entry]) => (entry as { disabled?: unknown } | null)?.disabled !== true)
    .map(([name, entry]) => parseClientEntry(name, entry));
}
