import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type McpDeclaration, parseMcpDeclarations, WorkspaceError } from '@agent-workspace/core';
import { z } from 'zod';
import { UsageError } from '../usage-error.ts';

/** Servers, and the secrets that they name. */
export interface McpConfig {
  readonly declarations: readonly McpDeclaration[];
  /** The values that `${NAME}` stands for, from the environment. */
  readonly secrets: Readonly<Record<string, string>>;
}

const serversSchema = z.record(z.string(), z.unknown());

/** The key is `mcpServers` in most clients, and `servers` in VS Code. */
const configSchema = z.union([z.looseObject({ mcpServers: serversSchema }), z.looseObject({ servers: serversSchema })]);

const PLACEHOLDER = /^\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)\}$/u;
/** What clients put in themselves, and nobody else can. */
const CLIENT_VARIABLE = /\$\{(?:input:|env:|workspaceFolder|userHome)/u;

export interface ReadMcpConfigOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads files as MCP clients have them: `{ "mcpServers": { name: { command, args, env } or { url,
 * headers } } }`, or VS Code's `servers`. `${NAME}` as a whole value of `env` and `headers` is taken
 * from the environment.
 *
 * @throws UsageError that names the file and the key
 */
export async function readMcpConfigs(
  paths: readonly string[],
  { directory, environment }: ReadMcpConfigOptions,
): Promise<McpConfig> {
  const declarations = new Map<string, McpDeclaration>();
  const secrets: Record<string, string> = {};
  for (const path of paths) {
    for (const declaration of parseConfig(await readJson(resolve(directory, path)), path)) {
      if (declarations.has(declaration.name)) throw new UsageError(`${path}: ${declaration.name} is declared twice.`);
      declarations.set(declaration.name, declaration);
      for (const [key, name] of placeholders(declaration)) {
        const value = environment[name];
        if (value === undefined) {
          throw new UsageError(`${path}: ${declaration.name}.${key} needs ${name}, which is not in the environment.`);
        }
        secrets[name] = value;
      }
    }
  }
  return { declarations: [...declarations.values()], secrets };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : `cannot be read: ${(error as Error).message}`;
    throw new UsageError(`--mcp-config: ${path} ${reason}`, { cause: error });
  }
}

function parseConfig(value: unknown, path: string): readonly McpDeclaration[] {
  const config = configSchema.safeParse(value);
  if (!config.success)
    throw new UsageError(`${path}: it has neither "mcpServers" nor "servers" with an object of servers.`);
  const key = 'mcpServers' in config.data ? 'mcpServers' : 'servers';
  const servers = (config.data as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[key] ?? {};
  return Object.entries(servers).flatMap(([name, server]) => {
    const text = JSON.stringify(server);
    const variable = CLIENT_VARIABLE.exec(text)?.[0];
    if (variable !== undefined) {
      throw new UsageError(
        `${path}: ${key}.${name} has ${variable}…}, which only its own client can fill in. Write the value.`,
      );
    }
    try {
      return parseMcpDeclarations({ mcpServers: { [name]: server } });
    } catch (error) {
      if (!WorkspaceError.isInstance(error)) throw error;
      throw new UsageError(`${path}: ${key}.${name}: ${error.message}`, { cause: error });
    }
  });
}

/** Which keys of a declaration stand for secrets, and for which. */
function placeholders(declaration: McpDeclaration): readonly (readonly [key: string, name: string])[] {
  const [place, values] =
    declaration.transport === 'stdio'
      ? (['env', declaration.env] as const)
      : (['headers', declaration.headers] as const);
  return Object.entries(values).flatMap(([key, value]) => {
    const name = PLACEHOLDER.exec(value)?.groups?.['name'];
    return name === undefined ? [] : [[`${place}.${key}`, name] as const];
  });
}
