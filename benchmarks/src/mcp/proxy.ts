import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { interruption } from '../interruption.ts';

export type ProxyName = 'supergateway' | 'mcp-proxy';

export interface Proxy extends AsyncDisposable {
  /** Its endpoint for streamable HTTP. */
  readonly url: URL;
}

const LOOK_MS = 50;
const DEADLINE_MS = 30_000;
const KILL_AFTER_MS = 3000;

/** The programs of the packages, and how each is told the same. */
const PROXIES: Record<ProxyName, (serverPath: string, port: number) => readonly string[]> = {
  supergateway: (serverPath, port) =>
    [
      [fileURLToPath(import.meta.resolve('supergateway/dist/index.js'))],
      ['--stdio', `${process.execPath} ${serverPath}`],
      ['--outputTransport', 'streamableHttp', '--stateful'],
      ['--port', `${port}`, '--logLevel', 'none'],
    ].flat(),
  'mcp-proxy': (serverPath, port) =>
    [
      [fileURLToPath(import.meta.resolve('mcp-proxy/dist/bin/mcp-proxy.mjs'))],
      ['--server', 'stream', '--host', '127.0.0.1', '--port', `${port}`],
      ['--', process.execPath, serverPath],
    ].flat(),
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Starts a proxy on this host, with a server of its own behind it, and waits until it answers. */
export async function startProxy(name: ProxyName, serverPath: string): Promise<Proxy> {
  const port = await freePort();
  const child = spawn(process.execPath, PROXIES[name](serverPath, port), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    const kill = globalThis.setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    clearTimeout(kill);
  });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(DEADLINE_MS)]);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode} at its start.`);
    const answer = await fetch(url, { method: 'OPTIONS', signal }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) break;
    await setTimeout(LOOK_MS, undefined, { signal });
  }
  const own = opened.move();
  return { url, [Symbol.asyncDispose]: () => own.disposeAsync() };
}
