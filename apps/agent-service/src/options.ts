import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Isolation } from '@agent-workspace/manager';
import { isLoopback } from './http/loopback.ts';
import { BACKENDS, type BackendName } from './places/open-manager.ts';

const ISOLATIONS: readonly Isolation[] = ['per-agent', 'per-session', 'per-user'];
export const PERMISSION_MODES = ['full', 'ask', 'read-only'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

const USAGE = `Usage: pnpm service [options]

  --backend NAME       Where agents work: ${BACKENDS.join(', ')}. Default: local.
  --network NAME       Of containers: bridge, none, or the name of one. Default: bridge.
  --memory MIB         Of each container or Pod, at the most. Default: 2048.
  --kubeconfig FILE    kubernetes: how the cluster is reached. Default: KUBECONFIG, ~/.kube/config, or the Pod's own account.
  --context NAME       kubernetes: of the kubeconfig. Default: its current one.
  --namespace NAME     kubernetes: of the workspaces. Default: the context's.
  --image NAME         kubernetes: of Pods. Default: node:24-slim.
  --storage SIZE       kubernetes: of each claim, such as 5Gi. Default: 1Gi.
  --storage-class NAME kubernetes: of claims. Default: the cluster's.
  --runtime-class NAME kubernetes: of Pods, such as one of gVisor or Kata. Default: the cluster's own runtime.
  --basedir DIR        Where workspaces, bindings and histories are kept. Default: ./agent-service-data.
  --redis URL          redis://… or unix:///path: keep bindings and histories there, for several replicas.
                       Also in AGENT_SERVICE_REDIS. Default: SQLite in the basedir. With kubernetes, bindings are
                       in the cluster in any case.
  --model ID           Ask a real model through the AI gateway; needs AI_GATEWAY_API_KEY. Default: a scripted one.
  --context-budget N   Tokens of history that a model is sent before it is compressed. Default: 100,000.
  --host HOST          Default: 127.0.0.1. Any that is not loopback needs tokens.
  --port PORT          Default: 8787; 0 takes a free one.
  --tokens FILE        JSON, { "token": "tenant" }. Also in AGENT_SERVICE_TOKENS. Default: one that is made and printed.
  --cors ORIGIN        Lets pages of this origin call the API; may be given again. Default: none.
  --single-tenant      One tenant, the owner of this machine: agents on the local backend get Bash and MCP servers.
  --isolation WHO      Who shares a workspace: ${ISOLATIONS.join(', ')}. Default: per-agent.
  --permissions MODE   What agents may do until a chat says otherwise: ${PERMISSION_MODES.join(', ')}. Default: full.
  --ttl SECONDS        Until an unused workspace is closed; its data stay. Default: 3600.
  --drain SECONDS      What running turns are given to end at a SIGTERM. Default: 30.
  --max-chats N        Turns at once, of all tenants. Default: 500.`;

/** How the cluster is reached, and what the Pods and claims of workspaces are like. */
export interface ClusterOptions {
  /** An absolute path. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
  readonly storageSize?: string | undefined;
  readonly storageClassName?: string | undefined;
  readonly runtimeClassName?: string | undefined;
}

export interface ServiceOptions {
  readonly backend: BackendName;
  /** Of containers. */
  readonly network: string;
  /** Of each container or Pod, at the most. */
  readonly memoryBytes: number;
  readonly cluster: ClusterOptions;
  /** An absolute path. */
  readonly basedir: string;
  readonly redis: string | undefined;
  /** An id for the AI gateway. Default: a scripted model. */
  readonly model: string | undefined;
  readonly contextBudgetTokens: number | undefined;
  readonly host: string;
  readonly port: number;
  /** Tenants by their tokens; none where one is to be made. */
  readonly tokensFile: string | undefined;
  readonly tokensJson: string | undefined;
  readonly metricsToken: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly isSingleTenant: boolean;
  readonly isolation: Isolation;
  readonly permissionMode: PermissionMode;
  readonly ttlMs: number;
  readonly drainMs: number;
  readonly maxChats: number;
}

/** The command line does not make sense. The message says why, and how it is used. */
export class UsageError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`${reason}\n\n${USAGE}`, options);
    this.name = 'UsageError';
  }
}

/** @throws UsageError */
export function parseOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): ServiceOptions {
  const values = parse(argv[0] === '--' ? argv.slice(1) : argv);
  const hasTokens = values.tokens !== undefined || given(environment['AGENT_SERVICE_TOKENS']) !== undefined;
  if (!isLoopback(values.host) && !hasTokens) {
    const reason = `${values.host} can be reached from other machines, and there are no tokens`;
    throw new UsageError(`${reason}: give --tokens FILE or AGENT_SERVICE_TOKENS, or listen on 127.0.0.1.`);
  }
  if (values.model !== undefined && given(environment['AI_GATEWAY_API_KEY']) === undefined) {
    throw new UsageError('--model needs AI_GATEWAY_API_KEY in the environment.');
  }
  // pnpm runs a script in the directory of its package, and says where it was called.
  const absolute = (path: string): string => resolve(environment['INIT_CWD'] ?? '', path);
  return {
    backend: oneOf('--backend', values.backend, BACKENDS),
    network: values.network,
    memoryBytes: 1024 ** 2 * count('--memory', values.memory, 64),
    cluster: {
      kubeconfig: values.kubeconfig === undefined ? undefined : absolute(values.kubeconfig),
      context: values.context,
      namespace: values.namespace,
      image: values.image,
      storageSize: values.storage,
      storageClassName: values['storage-class'],
      runtimeClassName: values['runtime-class'],
    },
    basedir: absolute(values.basedir),
    redis: values.redis ?? given(environment['AGENT_SERVICE_REDIS']),
    model: values.model,
    contextBudgetTokens:
      values['context-budget'] === undefined ? undefined : count('--context-budget', values['context-budget'], 1),
    host: values.host,
    port: count('--port', values.port, 0, 65_535),
    tokensFile: values.tokens === undefined ? undefined : absolute(values.tokens),
    tokensJson: given(environment['AGENT_SERVICE_TOKENS']),
    metricsToken: given(environment['AGENT_SERVICE_METRICS_TOKEN']),
    corsOrigins: values.cors,
    isSingleTenant: values['single-tenant'],
    isolation: oneOf('--isolation', values.isolation, ISOLATIONS),
    permissionMode: oneOf('--permissions', values.permissions, PERMISSION_MODES),
    ttlMs: 1_000 * count('--ttl', values.ttl, 1, 2_000_000),
    drainMs: 1_000 * count('--drain', values.drain, 0, 86_400),
    maxChats: count('--max-chats', values['max-chats'], 1),
  };
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function oneOf<T extends string>(option: string, value: string, known: readonly T[]): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new UsageError(`${option} is ${JSON.stringify(value)}. There is: ${known.join(', ')}.`);
}

function count(option: string, value: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(value);
  if (/^\d+$/u.test(value) && number >= least && number <= most) return number;
  throw new UsageError(`${option} is ${JSON.stringify(value)}. Give a whole number from ${least} to ${most}.`);
}

// oxlint-disable-next-line explicit-function-return-type -- what parseArgs makes of the table
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        backend: { type: 'string', default: 'local' },
        network: { type: 'string', default: 'bridge' },
        memory: { type: 'string', default: '2048' },
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        namespace: { type: 'string' },
        image: { type: 'string' },
        storage: { type: 'string' },
        'storage-class': { type: 'string' },
        'runtime-class': { type: 'string' },
        basedir: { type: 'string', default: 'agent-service-data' },
        redis: { type: 'string' },
        model: { type: 'string' },
        'context-budget': { type: 'string' },
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '8787' },
        tokens: { type: 'string' },
        cors: { type: 'string', multiple: true, default: [] },
        'single-tenant': { type: 'boolean', default: false },
        isolation: { type: 'string', default: 'per-agent' },
        permissions: { type: 'string', default: 'full' },
        ttl: { type: 'string', default: '3600' },
        drain: { type: 'string', default: '30' },
        'max-chats': { type: 'string', default: '500' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
