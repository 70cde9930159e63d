import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { callApi } from './api-client.ts';
import { makeCertificates } from './certificates.ts';
import { addressesOfSlot, findFreeSlot } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { lockCluster } from './cluster-lock.ts';
import { type ClusterState, currentBootId, readState, writeState } from './cluster-state.ts';
import { writeConfigs } from './configs.ts';
import { createControlGroup } from './control-groups.ts';
import { cleanUp } from './down.ts';
import { loadPauseImage } from './images.ts';
import { findParts, type PartName, PART_NAMES, type PartOptions } from './parts.ts';
import { createPodNetwork, isBridgeFiltered } from './pod-network.ts';
import { createNamespaces } from './private-namespaces.ts';
import { ensurePrograms, locatePrograms, type Programs } from './programs.ts';
import { requireHost } from './requirements.ts';
import { startPart } from './start-part.ts';
import { isNodeReady, waitForPart } from './health.ts';
import { readSysctls } from './sysctls.ts';
import { waitUntil } from './wait-until.ts';

export interface UpOptions {
  /** Whether missing packages of Debian's are installed. */
  readonly install: boolean;
}

/** Starts the cluster, or finds that it runs. Returns when a Pod can be created. */
export async function bringUp(folder: ClusterFolder, options: UpOptions): Promise<void> {
  const { pluginsDirectory } = await requireHost(options);
  await using _lock = await lockCluster(folder);
  const state = await readState(folder);
  if (state !== undefined && (await findParts(folder)).size === PART_NAMES.length) {
    await waitForCluster(folder, state);
    const isOther = state.programsDirectory !== (await locatePrograms(folder)).directory;
    console.log(
      `The cluster runs already.${isOther ? ' It was built from other sources: take it down first to renew it.' : ''}`,
    );
    return;
  }
  await cleanUp(folder);
  const programs = await ensurePrograms(folder);
  const begin = performance.now();
  try {
    await startCluster({ folder, programs, pluginsDirectory });
  } catch (error) {
    // Kept for whoever looks into it: the logs, and what runs. The next `up` or `down` takes it away.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The cluster did not start: ${reason}\nIts logs are in ${folder.logDirectory}`, { cause: error });
  }
  console.log(`The cluster runs, after ${((performance.now() - begin) / 1000).toFixed(1)} s.`);
}

interface StartOptions {
  readonly folder: ClusterFolder;
  readonly programs: Programs;
  readonly pluginsDirectory: string;
}

async function startCluster({ folder, programs, pluginsDirectory }: StartOptions): Promise<void> {
  const state: ClusterState = {
    version: 1,
    bootId: await currentBootId(),
    programsDirectory: programs.directory,
    slot: await findFreeSlot(folder.hash),
    sysctls: await readSysctls(),
    needsForwardRule: await isBridgeFiltered(),
  };
  await writeState(folder, state);
  const addresses = addressesOfSlot(state.slot);
  for (const directory of [folder.logDirectory, folder.dataDirectory, join(folder.dataDirectory, 'volume-plugins')])
    await mkdir(directory, { recursive: true });
  await Promise.all([
    makeCertificates(folder).then(() => writeConfigs({ folder, addresses, pluginsDirectory })),
    createPodNetwork(folder, { addresses, needsForwardRule: state.needsForwardRule }),
    createControlGroup(folder),
    createNamespaces(folder, programs.pause),
  ]);
  const options: PartOptions = { folder, addresses, kubernetes: programs.kubernetes };
  const start = (part: PartName): Promise<void> => startPart(part, options);
  await Promise.all([start('etcd'), start('containerd'), start('kube-apiserver')]);
  await Promise.all([
    waitForPart('containerd', options).then(() => loadPauseImage(folder, programs.pause)),
    waitForPart('kube-apiserver', options),
  ]);
  const rest: readonly PartName[] = ['kube-controller-manager', 'kube-scheduler', 'kubelet', 'volumes'];
  await Promise.all([...rest.map(start), createStorageClass(options)]);
  await waitForCluster(folder, state);
}

/** Volumes are folders on the node. */
async function createStorageClass({ folder, addresses }: PartOptions): Promise<void> {
  const body = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'agent-workspace.dev/folder',
  };
  const path = '/apis/storage.k8s.io/v1/storageclasses';
  const answer = await callApi(folder, { port: addresses.apiServerPort, path, body });
  if (answer.status !== 201) throw new Error(`The storage class was refused: ${answer.body}`);
}

const READY_TIMEOUT_MS = 120_000;

async function waitForCluster(folder: ClusterFolder, { slot }: ClusterState): Promise<void> {
  const port = addressesOfSlot(slot).apiServerPort;
  await waitUntil('the node is ready', READY_TIMEOUT_MS, () => isNodeReady(folder, port));
  // Pods are refused in a namespace that has no service account yet.
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  await waitUntil(
    'Pods are taken',
    READY_TIMEOUT_MS,
    async () => (await callApi(folder, { port, path })).status === 200,
  );
}
