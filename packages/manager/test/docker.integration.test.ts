import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { dockerContract } from './support/docker-contract.ts';
import { hasDocker } from './support/docker-engine.ts';

const directory = await TemporaryDirectory.create();

afterAll(() => directory[Symbol.asyncDispose]());

describe.skipIf(!hasDocker)('on Docker', () => {
  describeManagerContract('Docker', dockerContract({ places: directory.path }));
});
