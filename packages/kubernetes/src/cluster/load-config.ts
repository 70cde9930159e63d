import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { KubernetesOptionsInvalidError, KubernetesUnavailableError, lazy } from '@agent-workspace/core';
import type * as client from '@kubernetes/client-node';
import type { KubernetesConnectionOptions } from './connection-options.ts';
import { followTokenFiles, type KubeconfigText } from './token-files.ts';

export type KubernetesClient = typeof client;

/** Loaded when a cluster is first talked to, since it has a class for everything that a cluster knows. */
export const loadClient: () => Promise<KubernetesClient> = lazy(() => import('@kubernetes/client-node'));

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * Reads a kubeconfig, by the client's own rules where none is named. Nothing is asked of the cluster.
 *
 * @throws `kubernetes-options-invalid`, `kubernetes-unavailable`
 */
export async function loadConfig(
  { KubeConfig, loadYaml }: KubernetesClient,
  { kubeconfig, context }: KubernetesConnectionOptions,
): Promise<client.KubeConfig> {
  const config = new KubeConfig();
  const texts = kubeconfig === undefined ? await loadDefault(config) : await loadNamed(config, kubeconfig);
  followTokenFiles(config, texts, loadYaml);
  if (context !== undefined) config.setCurrentContext(context);
  const current = config.getCurrentContext();
  if (config.getCurrentCluster() === null) {
    const known = config.getContexts().map(({ name }) => JSON.stringify(name));
    const reason = `the kubeconfig has no context ${JSON.stringify(current)} with a cluster; it has ${known.join(', ') || 'none'}.`;
    throw new KubernetesOptionsInvalidError({ option: 'context', reason });
  }
  return config;
}

/** A text has lines, and a path has none. */
async function loadNamed(config: client.KubeConfig, kubeconfig: string): Promise<readonly KubeconfigText[]> {
  try {
    if (!kubeconfig.includes('\n')) {
      config.loadFromFile(kubeconfig);
      return await readTexts([kubeconfig]);
    }
    config.loadFromString(kubeconfig);
    return [{ text: kubeconfig, directory: process.cwd() }];
  } catch (error) {
    const reason = `it cannot be read as a kubeconfig (${(error as Error).message}); give its path or its text.`;
    throw new KubernetesOptionsInvalidError({ option: 'kubeconfig', reason }, { cause: error });
  }
}

async function loadDefault(config: client.KubeConfig): Promise<readonly KubeconfigText[]> {
  const named = process.env['KUBECONFIG'] ?? '';
  const own = join(homedir(), '.kube', 'config');
  const places = named === '' ? [own, SERVICE_ACCOUNT_TOKEN] : [named];
  if (named === '' && !(await Promise.all(places.map(exists))).includes(true)) {
    const reason = `there is neither ${places.join(' nor ')}, and KUBECONFIG names none`;
    throw new KubernetesUnavailableError({ server: 'no known address', reason });
  }
  try {
    config.loadFromDefault();
    if (named !== '') return await readTexts(named.split(delimiter).filter((path) => path !== ''));
    return await readTexts((await exists(own)) ? [own] : []);
  } catch (error) {
    throw new KubernetesUnavailableError(
      { server: places.join(', '), reason: (error as Error).message },
      { cause: error },
    );
  }
}

async function readTexts(paths: readonly string[]): Promise<readonly KubeconfigText[]> {
  return Promise.all(
    paths.map(async (path) => ({ text: await readFile(path, 'utf8'), directory: dirname(resolve(path)) })),
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
