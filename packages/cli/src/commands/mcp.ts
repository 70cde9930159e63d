import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { WorkspaceMcpOptions } from '@agent-workspace/mcp-server';
import { BACKENDS, loadBackend } from '../backends/backend.ts';
import { CLUSTER_OPTIONS, clusterValues } from '../backends/cluster-options.ts';
import { applyConfig } from '../config/apply-config.ts';
import { readMcpConfigs } from '../config/read-mcp-config.ts';
import { EXIT, type Io } from '../io.ts';
import { type OptionTable, type OptionValues, parseOptions } from '../options/option-table.ts';
import { commaList, durationMs, oneOf, pairs, wholeNumber } from '../options/values.ts';
import { stderrLogger } from '../output/stderr-logger.ts';
import { UsageError } from '../usage-error.ts';
import type { Command } from './command.ts';
import { IMAGE_OPTIONS, MCP_OPTIONS } from './mcp-options.ts';

const TOKEN_VARIABLE = 'AGENT_WORKSPACE_TOKEN';
const TOKEN_BYTES = 24;
const MAX_PORT = 65_535;
/** The server's own limits, said here with the option's name. */
const RESULT_BYTES = { from: 4_000, to: 10_000_000 };

const OPTIONS = { ...MCP_OPTIONS, ...IMAGE_OPTIONS, ...CLUSTER_OPTIONS } satisfies OptionTable;

type Values = OptionValues<typeof OPTIONS>;

/** Serves a workspace to MCP clients. */
export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'serve a workspace to an MCP client',
  usage: '[option]…',
  description: `Serves the tools, MCP servers and skills of a workspace over MCP, on stdin and stdout or over HTTP. Clients
are answered at once; the workspace starts with their first call, and ends with them.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values } = parseOptions(OPTIONS, argv);
    const options = await workspaceOptions(values, io);
    return values.http === undefined
      ? await serveOnStdio(values, options, io)
      : await serveOverHttp(values, options, io);
  },
};

async function workspaceOptions(values: Values, io: Io): Promise<WorkspaceMcpOptions> {
  const { directory, environment } = io;
  const name = oneOf('backend', values.backend ?? 'local', BACKENDS);
  const logger = stderrLogger(io, values.verbose === true ? 'debug' : 'info');
  const { declarations, secrets } = await readMcpConfigs(values['mcp-config'] ?? [], { directory, environment });
  const skillPaths = (values.skills ?? []).map((path) => resolve(directory, path));
  const backend = await loadBackend(name, {
    directory,
    logger,
    workdir: values.workdir,
    workspaceId: values['workspace-id'],
    env: pairs('env', values.env),
    workspace: { defaultMcps: declarations, skillPaths, secrets },
    docker: {
      dockerHost: values['docker-host'],
      baseImage: values['base-image'],
      nodeVersion: values['node-version'],
      extraPip: values.pip,
      extraNpm: values.npm,
      user: values.user,
      network: values.network,
    },
    e2b: { template: values.template },
    kubernetes: {
      ...clusterValues(values, directory),
      image: values.image,
      storageSize: values.storage,
      storageClassName: values['storage-class'],
      runtimeClassName: values['runtime-class'],
    },
  });
  const maxResultBytes = values['max-result-bytes'];
  return {
    place: backend.place,
    logger,
    scope: { agentId: values.agent, sessionId: values.session },
    tools: commaList('tools', values.tools),
    isReadOnly: values['read-only'],
    isLazy: values.lazy,
    isEager: values.eager,
    maxResultBytes:
      maxResultBytes === undefined ? undefined : wholeNumber('max-result-bytes', maxResultBytes, RESULT_BYTES),
    open: async (context) => {
      const workspace = await backend.open(context);
      try {
        await applyConfig(workspace, { declarations, skillPaths });
      } catch (error) {
        await workspace.close();
        throw error;
      }
      return workspace;
    },
  };
}

const HTTP_ONLY = ['host', 'allowed-host', 'allowed-origin', 'no-token', 'idle-timeout'] as const;

async function serveOnStdio(values: Values, options: WorkspaceMcpOptions, io: Io): Promise<number> {
  const unused = HTTP_ONLY.find((name) => values[name] !== undefined);
  if (unused !== undefined) throw new UsageError(`--${unused} is for --http.`);
  const { serveStdio } = await import('@agent-workspace/mcp-server');
  const server = await serveStdio(options);
  io.signal.addEventListener('abort', () => void server.close());
  await server.closed;
  return EXIT.fine;
}

async function serveOverHttp(values: Values, options: WorkspaceMcpOptions, io: Io): Promise<number> {
  const port = wholeNumber('http', values.http ?? '', { from: 0, to: MAX_PORT });
  const idleTimeout = values['idle-timeout'];
  const idleTimeoutMs = idleTimeout === undefined ? undefined : durationMs('idle-timeout', idleTimeout);
  const given = io.environment[TOKEN_VARIABLE];
  if (values['no-token'] === true && given !== undefined) {
    throw new UsageError(`--no-token contradicts ${TOKEN_VARIABLE}; leave one of them out.`);
  }
  const token = values['no-token'] === true ? undefined : (given ?? randomBytes(TOKEN_BYTES).toString('base64url'));
  const { serveHttp } = await import('@agent-workspace/mcp-server');
  const server = await serveHttp({
    ...options,
    port,
    host: values.host,
    token,
    idleTimeoutMs,
    allowedHosts: values['allowed-host'],
    allowedOrigins: values['allowed-origin'],
  });
  io.print(server.url);
  if (token !== undefined && given === undefined) {
    io.say(
      `Clients send the header  Authorization: Bearer ${token}\nSet ${TOKEN_VARIABLE} for one that stays the same.\n`,
    );
  }
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await server.close();
  return EXIT.fine;
}
