import { PROTOCOL_VERSION, type ReadyLine } from '@agent-workspace/gateway-protocol';
import { LocalBackend } from '@agent-workspace/local';
import { AdminSocket } from '../attachments/admin-socket.ts';
import { AttachedHosts } from '../attached/attached-hosts.ts';
import { readAttachment } from '../attachments/read-attachment.ts';
import type { ServeArguments } from './arguments.ts';
import { gatewayListener } from './gateway-listener.ts';
import { HttpServer } from './http-server.ts';
import { guardStandardStreams, stderrLogger } from './log.ts';

/** For what is being ended to end; then the process goes anyway. */
const SHUTDOWN_TIMEOUT_MS = 15_000;

export interface RunGatewayOptions extends ServeArguments {
  readonly version: string;
  /** This program's own file, whose hash tells which build is running. */
  readonly bundlePath: string;
}

/** Serves until SIGTERM or SIGINT, which end what was started through it. */
export async function runGateway(options: RunGatewayOptions): Promise<void> {
  const { version, workdir, kind, ripgrepPath } = options;
  // Orphans come to it, and it would not reap them.
  if (process.pid === 1)
    throw new Error('it must not be process 1. Start it under an init, such as `docker run --init`.');
  guardStandardStreams();
  const logger = stderrLogger();
  // One request's fault is not the others' end.
  process.on('unhandledRejection', (error) => logger.error('A rejection was not handled', { error }));
  process.on('uncaughtException', (error) => logger.error('An exception was not caught', { error }));

  const backend = new LocalBackend({ workdir, kind, roots: null, ripgrepPath, logger });
  const hosts = new AttachedHosts({ backend, logger });
  const { instance, listener, bundleHash } = gatewayListener({ ...options, hosts, logger });
  const server = new HttpServer({ listener, logger });
  const admin = new AdminSocket({ path: options.adminSocket, attachments: hosts.attachments, logger });

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    logger.info('Stopping', { signal });
    setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
    admin.close();
    server.stopListening();
    await Promise.allSettled([hosts.close(), backend.close()]);
    process.exit(0);
  };
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void (stopping ??= stop(signal)));

  const attachment = options.readsAttachment ? await readAttachment(process.stdin) : undefined;
  if (attachment !== undefined) hosts.attachments.add(attachment);
  const port = await server.listen(options.address);
  // Whoever is told that it is attached connects at once.
  await admin.listen();
  const { pid } = process;
  const { attachmentId } = attachment ?? {};
  const ready: ReadyLine = { type: 'ready', protocol: PROTOCOL_VERSION, version, instance, pid, port, attachmentId };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  // Every host asks for it at first, and is told of the line before in the meantime.
  bundleHash().catch((error: unknown) => logger.error('The program could not read its own file', { error }));
}
