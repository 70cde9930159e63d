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
  if (kubeconfig === undefined) await requireDefault();
  try {
    const texts = kubeconfig === undefined ? await loadDefault(config) : await loadNamed(config, kubeconfig);
    followTokenFiles(config, texts, loadYaml);
  } catch (error) {
    throw kubeconfig === undefined ? unusableDefault(error) : unusableOption(error);
  }
  if (context !== undefined) config.setCurrentContext(context);
  checkContext(config);
  return config;
}

function checkContext(config: client.KubeConfig): void {
  const name = JSON.stringify(config.getCurrentContext());
  if (config.getCurrentCluster() === null) {
    const known = config.getContexts().map((one) => JSON.stringify(one.name));
    const reason = `the kubeconfig has no context ${name} with a cluster; it has ${known.join(', ') || 'none'}.`;
    throw new KubernetesOptionsInvalidError({ option: 'context', reason });
  }
  const { namespace } = config.getContextObject(config.getCurrentContext()) ?? {};
  if (typeof (namespace ?? '') !== 'string') {
    const reason = `the namespace of its context ${name} is no text; put it in quotes.`;
    throw new KubernetesOptionsInvalidError({ option: 'kubeconfig', reason });
  }
}

/** A text has lines, is JSON, or was encoded: then it has a longer piece than a name in a path can be. */
function isText(kubeconfig: string): boolean {
  return kubeconfig.includes('\n') || kubeconfig.trimStart().startsWith('{') || /[^/\\]{256}/.test(kubeconfig);
}

async function loadNamed(config: client.KubeConfig, kubeconfig: string): Promise<readonly KubeconfigText[]> {
  if (!isText(kubeconfig)) {
    config.loadFromFile(kubeconfig);
    return readTexts([kubeconfig]);
  }
  config.loadFromString(kubeconfig);
  return [{ text: kubeconfig, directory: process.cwd() }];
}

function unusableOption(error: unknown): KubernetesOptionsInvalidError {
  const { problem, cause } = problemOf(error);
  const reason = `it cannot be read as a kubeconfig (${problem}); give its path or its text.`;
  return new KubernetesOptionsInvalidError({ option: 'kubeconfig', reason }, { cause });
}

/** Where the client looks: what KUBECONFIG names, else a file of the user's, else what a Pod has. */
function defaultPlaces(): { readonly named: string; readonly own: string; readonly places: readonly string[] } {
  const named = process.env['KUBECONFIG'] ?? '';
  const own = join(homedir(), '.kube', 'config');
  return { named, own, places: named === '' ? [own, SERVICE_ACCOUNT_TOKEN] : [named] };
}

async function requireDefault(): Promise<void> {
  const { named, places } = defaultPlaces();
  if (isText(named)) {
    const reason = 'KUBECONFIG has the text of a kubeconfig; put that into a file, and its path there';
    throw new KubernetesUnavailableError({ server: 'no known address', reason });
  }
  if (named === '' && !(await Promise.all(places.map(exists))).includes(true)) {
    const reason = `there is neither ${places.join(' nor ')}, and KUBECONFIG names none`;
    throw new KubernetesUnavailableError({ server: 'no known address', reason });
  }
}

async function loadDefault(config: client.KubeConfig): Promise<readonly KubeconfigText[]> {
  const { named, own } = defaultPlaces();
  config.loadFromDefault();
  if (named !== '') return readTexts(named.split(delimiter).filter((path) => path !== ''));
  return readTexts((await exists(own)) ? [own] : []);
}

function unusableDefault(error: unknown): KubernetesUnavailableError {
  const { problem, cause } = problemOf(error);
  return new KubernetesUnavailableError({ server: defaultPlaces().places.join(', '), reason: problem }, { cause });
}

/** What the client and its reader of YAML tell of a text. */
interface TextError {
  readonly message?: string | undefined;
  /** The line counts from 0. */
  readonly mark?: { readonly line: number } | undefined;
}

/** Of a path, what the system says. Of a text, where it fails: what its reader says may quote it, and so a secret. */
function problemOf(error: unknown): { readonly problem: string; readonly cause?: Error } {
  if (error instanceof Error && 'syscall' in error) return { problem: error.message, cause: error };
  const { message = '', mark } = error as TextError;
  const missing = /^(?:clusters|users|contexts)\[\d+\](?:\.\w+)+ is missing$/.exec(message)?.[0];
  const place = mark === undefined ? missing : `line ${mark.line + 1}`;
  return { problem: `its text is not that of a kubeconfig${place === undefined ? '' : `: ${place}`}` };
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
