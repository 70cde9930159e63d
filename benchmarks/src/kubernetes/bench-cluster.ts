import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ApiException, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { workspaceImage } from '../docker/docker-bench.ts';
import { interruption } from '../interruption.ts';

const CLUSTER_SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'cluster.ts');
const FOLDER = process.env['WORKSPACE_CLUSTER_DIR'] ?? join(homedir(), '.cache', 'agent-workspace', 'cluster');

/** Of the cluster for tests, and never of the one that this user has. */
export const KUBECONFIG: string = process.env['WORKSPACE_KUBECONFIG'] ?? join(FOLDER, 'run', 'kubeconfig');

/** Of every Pod: one that `pnpm cluster` has, and what a workspace's Pod has by default. */
export const IMAGE = 'node:24-slim';

/** Of every Pod: without a request, whatever else the machine does goes before it. */
export const RESOURCES: { readonly requests: Record<string, string> } = { requests: { cpu: '500m', memory: '256Mi' } };

const LOOK_MS = 50;
const NOT_FOUND = 404;

/** Why there can be no Pod, if there can be none. */
export async function missingCluster(): Promise<string | undefined> {
  if (!existsSync(KUBECONFIG)) return `there is no ${KUBECONFIG}; \`pnpm cluster up\` makes it`;
  try {
    await clusterConfig().makeApiClient(CoreV1Api).listNamespace({ limit: 1 });
    return undefined;
  } catch (error) {
    return `the cluster does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function clusterConfig(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(KUBECONFIG);
  return config;
}

/** The image that Docker has built for workspaces, copied into the cluster of `pnpm cluster up`. */
export async function loadWorkspaceImage(): Promise<string> {
  const image = await workspaceImage();
  await promisify(execFile)(process.execPath, [CLUSTER_SCRIPT, 'load', image], { signal: interruption });
  return image;
}

/** A namespace for one benchmark, deleted at its end with all that is in it. */
export interface BenchNamespace extends AsyncDisposable {
  readonly name: string;
  readonly config: KubeConfig;
  readonly core: CoreV1Api;
}

export async function openNamespace(): Promise<BenchNamespace> {
  const name = `aw-bench-${randomUUID()}`;
  const config = clusterConfig();
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name } } });
  // Pods are refused before that.
  while (!(await hasAccount(core, name))) await setTimeout(LOOK_MS, undefined, { signal: interruption });
  return {
    name,
    config,
    core,
    [Symbol.asyncDispose]: async () => {
      await core.deleteNamespace({ name });
    },
  };
}

async function hasAccount(core: CoreV1Api, namespace: string): Promise<boolean> {
  try {
    await core.readNamespacedServiceAccount({ name: 'default', namespace });
    return true;
  } catch (error) {
    if (error instanceof ApiException && error.code === NOT_FOUND) return false;
    throw error;
  }
}
