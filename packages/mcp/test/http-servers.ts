import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

const require = createRequire(import.meta.url);

/** The programs of the reference servers. */
const programs: Readonly<Record<'everything' | 'filesystem' | 'memory', string>> = {
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};

export function referenceServer(name: keyof typeof programs): string {
  return programs[name];
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The everything server on a port of the loopback, ready to be talked to. */
export async function startEverything(mode: 'streamableHttp' | 'sse', port: number): Promise<AsyncDisposable> {
  const child: ChildProcess = spawn(process.execPath, [referenceServer('everything'), mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      if (output.includes(`port ${port}`)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`the everything server did not start: ${output}`)));
  });
  return {
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

interface RpcRequest {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD rpc-method session-id` of each request. */
  readonly log: readonly string[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** Forgets all sessions, as a restart does. */
  forget(): void;
}

/**
 * A streamable HTTP server by hand, that can also break the rules: `answer` may take a request
 * over and then returns true.
 */
export async function startScripted(
  answer: (request: RpcRequest, response: ServerResponse, message: IncomingMessage) => boolean = () => false,
  options: { readonly hasSessions?: boolean; readonly port?: number } = {},
): Promise<ScriptedServer> {
  const sessions = new Set<string>();
  const log: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  let count = 0;
  const respond = (response: ServerResponse, status: number, body?: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of message) body += String(chunk);
    const request = (body === '' ? { method: '-' } : JSON.parse(body)) as RpcRequest;
    const session = String(message.headers['mcp-session-id'] ?? '-');
    log.push(`${message.method} ${request.method} ${session}`);
    headers.push(message.headers);
    if (answer(request, response, message)) return;
    const { id } = request;
    if (message.method === 'DELETE') {
      sessions.delete(session);
      return respond(response, 200);
    }
    if (message.method !== 'POST') return respond(response, 405);
    if (request.method === 'initialize') {
      if (options.hasSessions !== false) {
        const fresh = `session-${++count}`;
        sessions.add(fresh);
        response.setHeader('mcp-session-id', fresh);
      }
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return respond(response, 200, { jsonrpc: '2.0', id, result });
    }
    if (options.hasSessions !== false && !sessions.has(session))
      return respond(response, 404, { error: 'unknown session' });
    if (id === undefined) return respond(response, 202);
    if (request.method === 'tools/list') {
      return respond(response, 200, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'where', inputSchema: { type: 'object' } }] },
      });
    }
    return respond(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: session }] } });
  };
  const server: Server = createServer((message, response) => {
    handle(message, response).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    log,
    headers,
    forget: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
