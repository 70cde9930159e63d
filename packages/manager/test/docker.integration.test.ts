import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { dockerContract } from './support/docker-contract.ts';
import { hasDocker } from './support/docker-engine.ts';

const directory = await TemporaryDirectory.create();

afterAll(() => directory[Symbol.asyncDispose]());

describe.skipIf(!hasDocker)('on Docker, with SQLite', () => {
  describeManagerContract(
    'Docker with SQLite',
    dockerContract({
      places: directory.at('places'),
      storage: (place) => new SqliteStorage({ path: directory.at(`storages/${place}.db`) }),
    }),
  );
});
