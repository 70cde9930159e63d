import { randomUUID } from 'node:crypto';
import { buildImage } from '@agent-workspace/docker';
import { KubernetesWorkspace } from '@agent-workspace/kubernetes';
import { buildPrograms } from '../build-programs.ts';
import { SERVER_PACKAGES } from '../seeds.ts';
import { type OpenOptions, type Place, type PlaceOptions, PlaceUnavailableError } from './place.ts';
import { loadIntoTestCluster, testClusterKubeconfig, userHasKubeconfig } from './test-cluster.ts';

/** Pods, one after the other, on a claim: in the user's cluster, else in the one of `pnpm cluster up`. */
export async function kubernetesPlace({ cluster = {} }: PlaceOptions): Promise<Place> {
  await buildPrograms('gateway');
  const ofTests = cluster.kubeconfig === undefined && userHasKubeconfig() ? undefined : testClusterKubeconfig();
  const kubeconfig = cluster.kubeconfig ?? ofTests;
  if (kubeconfig === undefined && !userHasKubeconfig()) {
    const reason = 'There is no cluster: neither KUBECONFIG nor ~/.kube/config names one, and none of ours runs.';
    throw new PlaceUnavailableError(`${reason}\nGive --kubeconfig FILE, or start one for tests: pnpm cluster up`);
  }
  const image = cluster.image ?? (await imageFor(kubeconfig !== undefined && kubeconfig === testClusterKubeconfig()));
  const { context, namespace } = cluster;
  const workspaceId = `demo-${randomUUID()}`;
  const connection = { kubeconfig, context, namespace };
  return {
    name: `a Pod${namespace === undefined ? '' : ` of the namespace ${namespace}`}`,
    left: `The Pod is gone and its claim stays: KubernetesWorkspace.open({ workspaceId: '${workspaceId}' }) has it again`,
    open: ({ seeds, onEvent }: OpenOptions = {}) =>
      KubernetesWorkspace.open({ ...connection, workspaceId, image, onEvent, ...seeds }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** With the two servers in it. A cluster of somebody's own takes it from a registry, which only they know. */
async function imageFor(isTestCluster: boolean): Promise<string> {
  if (!isTestCluster) {
    const packages = SERVER_PACKAGES.map((name) => `--npm ${name}`).join(' ');
    throw new PlaceUnavailableError(
      'The demo has two MCP servers from npm, which have to be in the image of the Pod. Build one, and push it to where' +
        ` the cluster takes images from:\n\n  npx @agent-workspace/docker build-image ${packages} --tag REGISTRY/demo:1` +
        '\n  docker push REGISTRY/demo:1\n\nThen give --image REGISTRY/demo:1.',
    );
  }
  const image = await buildImage({ extraNpm: SERVER_PACKAGES });
  await loadIntoTestCluster(image);
  return image;
}
