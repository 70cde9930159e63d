import { describeManagerContract, TemporaryDirectory } from '@agent-workspace/testing';
import { afterAll, describe } from 'vitest';
import { RedisStorage } from '../src/storage/redis/index.ts';
import { localContract } from './support/local-contract.ts';
import { RedisServer } from './support/redis-server.ts';

const hasRedis = await RedisServer.isThere();
const server = hasRedis ? await RedisServer.start() : undefined;
const directory = await TemporaryDirectory.create();

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

describe.skipIf(server === undefined)('with Redis', () => {
  describeManagerContract(
    'local, with Redis',
    localContract({
      places: directory.path,
      storage: async (place) => {
        if (server === undefined) throw new Error('There is no Redis.');
        return new RedisStorage({ client: await server.connect(), prefix: `${place}:` });
      },
    }),
  );
});
