import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { SqliteStorage } from '../src/storage/sqlite/index.ts';
import { e2bContract } from './support/e2b-contract.ts';
import { hasSandboxes, START_MS, startE2B, type TestE2B } from './support/e2b-emulator.ts';

const directory = await TemporaryDirectory.create();

afterAll(() => directory[Symbol.asyncDispose]());

describe.skipIf(!hasSandboxes)('on E2B, with SQLite', () => {
  let e2b: TestE2B;

  beforeAll(async () => {
    e2b = await startE2B();
  }, START_MS);

  afterAll(() => e2b[Symbol.asyncDispose](), START_MS);

  describeManagerContract(
    'E2B with SQLite',
    e2bContract({
      e2b: () => e2b,
      storage: (place) => new SqliteStorage({ path: directory.at(`${place}.db`) }),
    }),
  );
});
