import { randomUUID } from 'node:crypto';
import { KubernetesWorkspace, type KubernetesWorkspaceOptions } from '@agent-workspace/kubernetes';
import { interruption } from '../interruption.ts';
import { type BenchNamespace, IMAGE, KUBECONFIG, RESOURCES } from '../kubernetes/bench-cluster.ts';
import type { Contender } from './contender.ts';

export interface KubernetesWorkspaceContender extends Contender {
  readonly workspace: KubernetesWorkspace;
}

/** A workspace in a Pod. */
export async function openKubernetesWorkspace(
  namespace: BenchNamespace,
  { name = 'ours', ...options }: KubernetesWorkspaceOptions & { readonly name?: string | undefined } = {},
): Promise<KubernetesWorkspaceContender> {
  const workspace = await KubernetesWorkspace.open({
    kubeconfig: KUBECONFIG,
    namespace: namespace.name,
    image: IMAGE,
    resources: RESOURCES,
    workspaceId: `bench-${randomUUID()}`,
    signal: interruption,
    ...options,
  });
  const { backend } = workspace;
  const pathOf = (path: string): string => `${backend.workdir}/${path}`;
  return {
    name,
    workspace,
    async execTrue() {
      const { end } = await backend.exec(['true']);
      if (end.kind !== 'exited' || end.exitCode !== 0) throw new Error(`true ended in ${JSON.stringify(end)}.`);
    },
    async readFile(path) {
      return (await backend.readFile(pathOf(path))).bytes.length;
    },
    async writeFile(path, content) {
      await backend.writeFile(pathOf(path), content);
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
    },
  };
}
