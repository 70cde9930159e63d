import { describe, expect, it } from 'vitest';
import { GatewayClient } from '../gateway-client.ts';
import { Deadline } from './deadline.ts';

/** To a gateway that is gone, and that takes forever to come back. */
function clientOf(recovering: () => void): GatewayClient {
  return new GatewayClient({
    connect: () => Promise.reject(new Error('it is gone')),
    token: () => 'token',
    recover: async () => {
      recovering();
      await new Promise<never>(() => undefined);
    },
  });
}

const stream = { operation: 'test', path: '/', accept: 'text/plain' } as const;

describe('a gateway that does not come back', () => {
  it.each<[string, (client: GatewayClient, signal: AbortSignal) => Promise<unknown>]>([
    ['an answer', (client, signal) => client.health({ signal })],
    ['a stream', (client, signal) => client.bytes({ ...stream, signal })],
  ])('is not waited for by who gives up: %s', async (_what, ask) => {
    const controller = new AbortController();
    const client = clientOf(() => controller.abort(new Error('enough')));
    await expect(ask(client, controller.signal)).rejects.toMatchObject({
      code: 'operation-aborted',
      cause: { message: 'enough' },
    });
    await client.close();
  });

  it('is not waited for past the end of a stream’s time', async () => {
    const client = clientOf(() => undefined);
    using deadline = new Deadline({ operation: 'test', timeoutMs: 50 });
    await expect(client.bytes({ ...stream, deadline })).rejects.toMatchObject({
      code: 'gateway-timeout',
      details: { operation: 'test', timeoutMs: 50 },
    });
    await client.close();
  });
});
