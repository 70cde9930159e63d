import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { silentLogger } from '@agent-workspace/core';
import { expect, it, onTestFinished } from 'vitest';
import { HttpServer } from './http-server.ts';

/** IPv4's, and IPv6's where this machine has it. */
const LOOPBACKS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, scopeid = 0 }) => internal && scopeid === 0)
  .map(({ address }) => address);

it('takes every address of this machine by the host ::, those of IPv4 among them', async () => {
  const server = new HttpServer({ listener: (_request, response) => response.end('here'), logger: silentLogger });
  onTestFinished(() => server.stopListening());
  const port = await server.listen({ kind: 'port', port: 0, host: '::' });
  expect(LOOPBACKS).toContain('127.0.0.1');
  for (const host of LOOPBACKS) {
    const answer = new Promise<string>((resolve, reject) => {
      get({ host, port, agent: false }, (response) => resolve(text(response))).on('error', reject);
    });
    expect(await answer).toBe('here');
  }
});
