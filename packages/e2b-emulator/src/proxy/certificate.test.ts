import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { makeCertificate } from './certificate.ts';

it('is one that OpenSSL reads, signed by its own key', () => {
  const { certificate, privateKey } = makeCertificate('e2b.localhost');
  const read = new X509Certificate(certificate);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
  expect([read.subject, read.ca]).toEqual(['CN=E2B emulator', true]);
  expect(read.subjectAltName).toBe('DNS:e2b.localhost, DNS:*.e2b.localhost, DNS:localhost, IP Address:127.0.0.1');
  expect(read.checkHost('3000-iabc.e2b.localhost')).toBe('*.e2b.localhost');
  expect(read.validToDate.getTime()).toBeGreaterThan(Date.now());
});

it('is trusted by whoever was given it', async () => {
  const { certificate, privateKey } = makeCertificate('e2b.localhost');
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => socket.end('secure'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const socket = connect({ port, host: '127.0.0.1', servername: '1-i.e2b.localhost', ca: certificate });
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect([String(data), socket.authorized]).toEqual(['secure', true]);
  socket.destroy();
  server.close();
});
