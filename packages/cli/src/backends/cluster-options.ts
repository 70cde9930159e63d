import { resolve } from 'node:path';
import type { OptionValues } from '../options/option-table.ts';

/** How a cluster is reached: of every command that may ask one. */
export const CLUSTER_OPTIONS = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'kubernetes: how the cluster is reached; default: as for kubectl',
  },
  context: { type: 'string', value: 'NAME', help: 'kubernetes: of the kubeconfig; default: its current one' },
  namespace: { type: 'string', value: 'NAME', help: "kubernetes: of the workspaces; default: the context's" },
} as const;

/** What of it was given. */
export interface ClusterValues {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

/** @param directory what a relative path is taken from */
export function clusterValues(values: OptionValues<typeof CLUSTER_OPTIONS>, directory: string): ClusterValues {
  const { kubeconfig, context, namespace } = values;
  return { kubeconfig: kubeconfig === undefined ? undefined : resolve(directory, kubeconfig), context, namespace };
}
