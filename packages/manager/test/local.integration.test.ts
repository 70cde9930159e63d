import { join } from 'node:path';
import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll } from 'vitest';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { localContract } from './support/local-contract.ts';

const directory = await TemporaryDirectory.create();
const places = directory.path;

afterAll(() => directory[Symbol.asyncDispose]());

describeManagerContract('local', localContract({ places }));

describeManagerContract(
  'local, with SQLite',
  localContract({ places, storage: async (place) => new SqliteStorage({ path: join(places, `${place}.db`) }) }),
);
