import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { KubernetesStorage } from '../src/kubernetes/index.ts';
import { hasCluster, TestNamespace } from './support/kubernetes-cluster.ts';
import { localContract } from './support/local-contract.ts';

/** Each round asks the API server some ten times. */
const RACES = 50;

const namespace = hasCluster ? await TestNamespace.create('local') : undefined;
const directory = await TemporaryDirectory.create();

afterAll(async () => {
  await namespace?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

describe.skipIf(namespace === undefined)('with a storage in Kubernetes', () => {
  describeManagerContract('local, with a storage in Kubernetes', {
    ...localContract({
      places: directory.path,
      storage: (place) => new KubernetesStorage({ ...namespace?.connection, service: place }),
    }),
    races: RACES,
  });
});
