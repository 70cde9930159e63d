import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startScripted } from './http-servers.ts';
import { clientFor, closeClients, failureOf, textOf } from './support.ts';

afterEach(closeClients);

/** A stream that ends at once, with an event after which it can be taken up, by a client that has been told to hurry. */
function breakOff(response: ServerResponse, eventId: number): true {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`retry: 0\nid: ${eventId}\ndata: \n\n`);
  return true;
}

describe('an answer that breaks off', () => {
  it('is given up where the server does not let it be taken up', async () => {
    await using server = await startScripted((request, response) => {
      if (request.method !== 'tools/call') return false;
      return breakOff(response, 1);
    });
    const client = clientFor({ name: 's', url: server.url }, { callTimeoutMs: 60_000 });
    expect(await failureOf(client.callTool('where', {}))).toMatchObject({ code: 'mcp-server-exited' });
    // What is not heard may have changed the tools.
    await client.listTools();
    await client.listTools();
    expect(server.log.filter((line) => line.includes('tools/list'))).toHaveLength(3);
  });

  it('is asked for as often as the server wants, without a gap', async () => {
    let callId: number | undefined;
    await using server = await startScripted((request, response, { method, headers }) => {
      if (request.method === 'tools/call') {
        callId = request.id;
        return breakOff(response, 1);
      }
      const lastEventId = Number(headers['last-event-id']);
      if (method !== 'GET' || Number.isNaN(lastEventId)) return false;
      if (lastEventId < 10) return breakOff(response, lastEventId + 1);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const result = { content: [{ type: 'text', text: 'at last' }] };
      response.end(`id: 11\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: callId, result })}\n\n`);
      return true;
    });
    // With gaps it would be two minutes and more.
    const client = clientFor({ name: 's', url: server.url }, { callTimeoutMs: 60_000 });
    expect(await textOf(client, 'where')).toBe('at last');
  });
});

describe('a stream of news that ends at once', () => {
  it.each([true, false])('is asked for again with gaps (with ids: %s)', async (hasIds) => {
    const askedAt: number[] = [];
    await using server = await startScripted((_request, response, { method }) => {
      if (method !== 'GET') return false;
      askedAt.push(performance.now());
      if (hasIds) return breakOff(response, askedAt.length);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
      return true;
    });
    const client = clientFor({ name: 's', url: server.url });
    await client.connect();
    await vi.waitFor(() => expect(askedAt.length).toBeGreaterThanOrEqual(3));
    const gaps = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    // A second from the end of one to the next, less what a timer is early.
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });
});
