// A gateway of another protocol, which takes every token.
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { rmSync } from 'node:fs';

const argv = process.argv.slice(2);
const valueOf = (name) => argv[argv.indexOf(name) + 1];

let attachments = 1;
await text(process.stdin);
for (const name of ['--socket', '--admin-socket']) rmSync(valueOf(name), { force: true });
createSocketServer({ allowHalfOpen: true }, (socket) => {
  attachments += 1;
  socket.on('error', () => undefined);
  socket.end('{"ok":true}\n');
}).listen(valueOf('--admin-socket'));
createServer((request, response) => {
  if (request.method === 'DELETE') attachments -= 1;
  const health = {
    status: 'ok',
    protocol: 99,
    bundleHash: 'x',
    instance: 'x',
    kind: 'x',
    workdir: '/',
    attachmentId: 'x',
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...health, attachments }));
}).listen(valueOf('--socket'), () => process.stdout.write('ready\n'));
process.stdout.on('error', () => undefined);
process.on('SIGTERM', () => process.exit(0));
