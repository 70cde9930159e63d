import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { json } from 'node:stream/consumers';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { expect, it } from 'vitest';
import { ClusterConnection } from '../src/cluster/cluster-connection.ts';
import { watch } from '../src/cluster/watch.ts';
import { PortForwardStream } from '../src/exec/port-forward-stream.ts';
import { CertificateServer } from './support/certificate-server.ts';
import { ConnectProxy } from './support/connect-proxy.ts';
import { outcomeOf } from './support/use-kubernetes.ts';

function open({ address, certificate }: CertificateServer, proxyAddress?: string): Promise<ClusterConnection> {
  const cluster = { server: address, 'certificate-authority': certificate, 'proxy-url': proxyAddress };
  const kubeconfig = JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { 'client-certificate': certificate, 'client-key': certificate } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  return ClusterConnection.open({ kubeconfig });
}

it.each([
  ['there', false],
  ['by a proxy', true],
])('certificates that are renewed in their files are used from then on, %s', async (_where, hasProxy) => {
  await using directory = await TemporaryDirectory.create();
  await using server = await CertificateServer.start(directory.path, 'first');
  await using proxy = await ConnectProxy.start();
  const connection = await open(server, hasProxy ? proxy.address : undefined);
  const signal = AbortSignal.timeout(60_000);
  const use = async (): Promise<readonly unknown[]> => {
    const watched = await Array.fromAsync(watch(connection, { path: '/api/v1/pods', query: {}, signal }));
    const stream = await outcomeOf(PortForwardStream.open({ connection, name: 'p' }, 1, { signal }));
    return [...watched, stream];
  };
  const callerWas = (name: string): readonly unknown[] => [
    { type: 'ADDED', object: name },
    { code: 'kubernetes-refused', message: expect.stringContaining(name) },
  ];

  expect(await use()).toStrictEqual(callerWas('first'));
  await server.renew('second');
  expect(await use()).toStrictEqual(callerWas('second'));
  expect(proxy.passed).toBe(hasProxy ? 4 : 0);
});

it('a request shows the certificates that it was given, whichever another has been given since', async () => {
  await using directory = await TemporaryDirectory.create();
  await using server = await CertificateServer.start(directory.path, 'first');
  const connection = await open(server);
  const caller = async (options: RequestOptions): Promise<unknown> => {
    // The server has one of its own, which only the second knows.
    const asked = request(server.address, { ...options, rejectUnauthorized: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return json(response);
  };

  const first = await connection.connectionOptions();
  await server.renew('second');
  const second = await connection.connectionOptions();
  expect(await caller(first)).toMatchObject({ object: 'first' });
  expect(await caller(second)).toMatchObject({ object: 'second' });
});
