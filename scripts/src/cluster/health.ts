import { z } from 'zod';
import { callApi } from './api-client.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { runMarked } from './marked-processes.ts';
import { findParts, NODE_NAME, type PartName, type PartOptions } from './parts.ts';
import { lastLines, partLog } from './part-log.ts';
import { waitUntil } from './wait-until.ts';

const PART_TIMEOUT_MS = 120_000;

const nodeSchema = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() }),
});

/** Whether the API server says that Pods can run. */
export async function isNodeReady(folder: ClusterFolder, port: number): Promise<boolean> {
  const { status, body } = await callApi(folder, { port, path: `/api/v1/nodes/${NODE_NAME}` });
  if (status !== 200) return false;
  const { conditions } = nodeSchema.parse(JSON.parse(body)).status;
  return conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

/** Whether a part answers; for those that have nothing to ask, whether they run. */
async function isAnswering(part: PartName, { folder, addresses }: PartOptions): Promise<boolean> {
  switch (part) {
    case 'kube-apiserver':
      return (await callApi(folder, { port: addresses.apiServerPort, path: '/readyz' })).status === 200;
    case 'kubelet':
      return (await callApi(folder, { port: addresses.kubeletPort, path: '/healthz' })).status === 200;
    case 'containerd':
      await runMarked(folder, ['ctr', '--address', folder.containerdSocket, 'version']);
      return true;
    case 'etcd':
    case 'kube-controller-manager':
    case 'kube-scheduler':
    case 'volumes':
      return (await findParts(folder)).has(part);
    default:
      return part satisfies never;
  }
}

/** Returns when a part answers. @throws Error with the end of its log if it ended, or does not answer in two minutes */
export async function waitForPart(part: PartName, options: PartOptions): Promise<void> {
  const hasEnded = async (): Promise<boolean> => !(await findParts(options.folder)).has(part);
  await waitUntil(`${part} answers`, PART_TIMEOUT_MS, async () => (await hasEnded()) || isAnswering(part, options));
  if (await hasEnded()) throw new Error(`${part} ended:\n${await lastLines(partLog(part, options.folder))}`);
}
