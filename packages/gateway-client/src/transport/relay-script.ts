/** The relay's first bytes: what comes before them is no answer of the gateway's. */
export const RELAY_READY = 'agent-workspace-relay\n';

/**
 * Passes its stdin on to the gateway, and what comes from there to its stdout. It ends with the gateway's end, since
 * stdin would stay open, and on the end of stdin closes that side alone.
 *
 * Arguments: the path of the gateway's socket, and the port, if any, that it may listen on instead.
 */
export const RELAY_SCRIPT: string = `
const [path, port] = process.argv.slice(1);
const isSocket = port === undefined || require('node:fs').existsSync(path);
const socket = require('node:net').connect({ ...(isSocket ? { path } : { host: '127.0.0.1', port }), allowHalfOpen: true });
const fail = (error) => {
  process.stderr.write(error.message + '\\n', () => process.exit(1));
};
socket.on('error', fail);
process.stdin.on('error', fail);
process.stdout.on('error', () => process.exit(1));
socket.on('connect', () => {
  socket.setNoDelay?.(true);
  process.stdout.write(${JSON.stringify(RELAY_READY)});
  process.stdin.pipe(socket);
  socket.pipe(process.stdout, { end: false });
});
socket.on('end', () => process.stdout.write('', () => process.exit(0)));
`;
