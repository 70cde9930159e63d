/** The relay's first bytes: what comes before them is no answer of the gateway's. */
export const RELAY_READY = 'agent-workspace-relay\n';

/**
 * Passes its stdin on to a unix socket, and what comes from there to its stdout. It ends with the
 * socket's end, since stdin would stay open, and on the end of stdin closes that side alone.
 *
 * Arguments: the socket's path.
 */
export const RELAY_SCRIPT: string = `
const socket = require('node:net').connect({ path: process.argv[1], allowHalfOpen: true });
const fail = (error) => {
  process.stderr.write(error.message + '\\n', () => process.exit(1));
};
socket.on('error', fail);
process.stdin.on('error', fail);
process.stdout.on('error', () => process.exit(1));
socket.on('connect', () => {
  process.stdout.write(${JSON.stringify(RELAY_READY)});
  process.stdin.pipe(socket);
  socket.pipe(process.stdout, { end: false });
});
socket.on('end', () => process.stdout.write('', () => process.exit(0)));
`;
