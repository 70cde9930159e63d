import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectToolResult, type Tool, type Workspace } from '@agent-workspace/core';
import type { BackendName } from '../backends/backend.ts';
import type { ClusterValues } from '../backends/cluster-options.ts';
import { missingPackage } from './engine-package.ts';

/** What was looked at, and what came of it. */
export interface CheckResult {
  readonly name: string;
  /** `missing` is no fault: something that one may want. */
  readonly state: 'ok' | 'missing' | 'failed';
  readonly detail: string;
  /** How to get it, where it is not there. */
  readonly advice?: string | undefined;
}

/** What backends need, and which. */
export interface Check {
  readonly name: string;
  readonly neededBy: readonly BackendName[];
  readonly run: () => Promise<Omit<CheckResult, 'name'>>;
}

export interface CheckSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly architecture: string;
  readonly dockerHost?: string | undefined;
  /** Default: none is asked, since people have a cluster in their kubeconfig for other things. */
  readonly cluster: ClusterValues | undefined;
  readonly signal: AbortSignal;
}

const EVERY_BACKEND: readonly BackendName[] = ['local', 'docker', 'e2b', 'kubernetes'];
const OLDEST_NODE = [22, 18] as const;
const PLATFORMS: ReadonlySet<string> = new Set(['linux', 'darwin']);
/** What a listing takes from far away. */
const ANSWER_TIMEOUT_MS = 15_000;

/** All that is looked at, in the order in which it is shown. */
export function machineChecks(surroundings: CheckSurroundings): readonly Check[] {
  return [
    { name: 'node', neededBy: EVERY_BACKEND, run: async () => await Promise.resolve(checkNode(surroundings)) },
    { name: 'platform', neededBy: EVERY_BACKEND, run: async () => await Promise.resolve(checkPlatform(surroundings)) },
    { name: 'shell', neededBy: ['local'], run: () => inTemporaryWorkspace('Bash', { command: 'echo fine' }, 'fine') },
    { name: 'rg', neededBy: ['local'], run: () => inTemporaryWorkspace('Grep', { pattern: 'nothing' }, 'No ') },
    { name: 'docker', neededBy: ['docker'], run: () => checkDocker(surroundings) },
    { name: 'e2b', neededBy: ['e2b'], run: () => checkE2B(surroundings) },
    { name: 'kubernetes', neededBy: ['kubernetes'], run: () => checkKubernetes(surroundings) },
  ];
}

function checkNode({ nodeVersion }: CheckSurroundings): Omit<CheckResult, 'name'> {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isFine = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (isFine) return { state: 'ok', detail: nodeVersion };
  const advice = `Install Node ${OLDEST_NODE.join('.')} or later (https://nodejs.org).`;
  return { state: 'failed', detail: `${nodeVersion} is too old`, advice };
}

function checkPlatform({ platform, architecture }: CheckSurroundings): Omit<CheckResult, 'name'> {
  const detail = `${platform} ${architecture}`;
  if (PLATFORMS.has(platform)) return { state: 'ok', detail };
  return { state: 'failed', detail: `${detail} is not supported`, advice: 'On Windows, use WSL2.' };
}

/** Tries a tool of the local backend where it harms nothing. */
async function inTemporaryWorkspace(name: string, input: object, expected: string): Promise<Omit<CheckResult, 'name'>> {
  const { LocalWorkspace } = await import('@agent-workspace/local');
  const workdir = await mkdtemp(join(tmpdir(), 'aw-doctor-'));
  let workspace: Workspace | undefined;
  try {
    workspace = await LocalWorkspace.open({ workdir });
    const tool: Tool | undefined = (await workspace.listTools()).find((candidate) => candidate.name === name);
    if (tool === undefined) return { state: 'failed', detail: `there is no tool ${name}` };
    const { state, content } = await collectToolResult(tool.call(input));
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (state === 'success' && text.includes(expected)) return { state: 'ok', detail: `${name} works` };
    const advice = 'Install the package again, with its optional dependencies.';
    return { state: 'failed', detail: `${name} does not work: ${text}`, advice };
  } catch (error) {
    return { state: 'failed', detail: (error as Error).message };
  } finally {
    await workspace?.close();
    await rm(workdir, { recursive: true, force: true });
  }
}

async function checkDocker({ dockerHost, signal }: CheckSurroundings): Promise<Omit<CheckResult, 'name'>> {
  const missing = missingPackage('docker');
  if (missing !== undefined) return { state: 'missing', ...missing };
  const { inspectEngine } = await import('@agent-workspace/docker');
  try {
    const { address, version, apiVersion, architecture } = await inspectEngine({ dockerHost, signal: soon(signal) });
    return { state: 'ok', detail: `Docker Engine ${version} (API ${apiVersion}, ${architecture}) at ${address}` };
  } catch (error) {
    // Its message says how to get one.
    const [detail = '', ...advice] = (error as Error).message.split('. ');
    return { state: 'missing', detail, advice: advice.join('. ') };
  }
}

async function checkE2B({ environment, signal }: CheckSurroundings): Promise<Omit<CheckResult, 'name'>> {
  const missing = missingPackage('e2b');
  if (missing !== undefined) return { state: 'missing', ...missing };
  if (!environment['E2B_API_KEY']) {
    const advice = 'Set it to a key of https://e2b.dev/dashboard, or of an E2B of your own with E2B_DOMAIN.';
    return { state: 'missing', detail: 'E2B_API_KEY is not set', advice };
  }
  const { listWorkspaceSandboxes } = await import('@agent-workspace/e2b');
  try {
    const sandboxes = await listWorkspaceSandboxes({ apiKey: environment['E2B_API_KEY'], signal: soon(signal) });
    return { state: 'ok', detail: `reached with E2B_API_KEY; workspaces there: ${sandboxes.length}` };
  } catch (error) {
    return { state: 'failed', detail: (error as Error).message, advice: 'Look at E2B_API_KEY and E2B_DOMAIN.' };
  }
}

async function checkKubernetes({ cluster, signal }: CheckSurroundings): Promise<Omit<CheckResult, 'name'>> {
  const missing = missingPackage('kubernetes');
  if (missing !== undefined) return { state: 'missing', ...missing };
  if (cluster === undefined) {
    const advice = 'With --backend kubernetes, the cluster is looked at that your kubeconfig names.';
    return { state: 'missing', detail: 'no cluster was asked', advice };
  }
  const { surveyCluster } = await import('@agent-workspace/kubernetes');
  try {
    const { server, namespace, workspaces } = await surveyCluster({ ...cluster, signal: soon(signal) });
    return { state: 'ok', detail: `${server}, namespace ${namespace}; workspaces there: ${workspaces.length}` };
  } catch (error) {
    const advice = 'Name another one by --kubeconfig, --context and --namespace; kubectl auth whoami says who you are.';
    return { state: 'failed', detail: (error as Error).message, advice };
  }
}

function soon(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
}
