import { chmod } from 'node:fs/promises';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createEnvd } from './envd-server.ts';
import { useSoleUser } from './users/find-user.ts';

const RUN_DIRECTORY = '/run/e2b';

/**
 * The program inside a sandbox: `node envd.cjs --port 49983` or `--socket PATH`.
 *
 * - `--host ADDRESS` to listen on. Default: all.
 * - `--sole-user-home DIRECTORY`: there are no users but the one that runs it, with this home, and it ends
 *   when its stdin does.
 *
 * It prints one line of JSON when it is ready, and ends its processes when it is told to end.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '49983' },
      host: { type: 'string', default: '0.0.0.0' },
      socket: { type: 'string' },
      'sole-user-home': { type: 'string' },
    },
  });
  // Of whoever starts the emulator the sandbox is to know nothing.
  process.umask(0o022);
  const { port, host, socket, 'sole-user-home': home } = values;
  // Only root can be somebody else.
  const soleHome = home ?? (process.getuid?.() === 0 ? undefined : (process.env['HOME'] ?? '/'));
  if (soleHome !== undefined) useSoleUser(soleHome);

  const envd = createEnvd({ runDirectory: soleHome === undefined ? RUN_DIRECTORY : undefined });
  envd.server.listen(socket === undefined ? { port: Number(port), host } : { path: socket });
  await once(envd.server, 'listening');
  // Whoever may open the directory may connect.
  if (socket !== undefined) await chmod(socket, 0o666);
  process.stdout.write(`${JSON.stringify({ address: envd.server.address(), pid: process.pid })}\n`);

  const end = (): void => void envd.close().finally(() => process.exit(0));
  process.once('SIGTERM', end).once('SIGINT', end);
  if (home !== undefined) process.stdin.once('close', end).resume();
}

main().catch((error: unknown) => {
  process.stderr.write(`envd: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
