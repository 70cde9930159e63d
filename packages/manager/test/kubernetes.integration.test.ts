import { describeManagerContract, runsLongSuite } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { hasCluster, TestNamespace } from './support/kubernetes-cluster.ts';
import { kubernetesContract } from './support/kubernetes-contract.ts';

const runs = hasCluster && runsLongSuite('the manager contract on Pods');

describe.skipIf(!runs)('on Kubernetes, with its own storage', () => {
  let namespace: TestNamespace;

  beforeAll(async () => {
    namespace = await TestNamespace.create('manager');
  });

  afterAll(() => namespace[Symbol.asyncDispose]());

  describeManagerContract(
    'Kubernetes',
    kubernetesContract(() => namespace),
  );
});
