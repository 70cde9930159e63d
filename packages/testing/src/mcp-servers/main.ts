/*
 * Small MCP servers over stdio, one behaviour each: `node main.ts <name> [argument]`. All of them
 * are in this one file, with Node's own modules alone and JSON-RPC by hand, so that it can be
 * copied to where a server has to run, and so that it can break the protocol where it wants to.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly protocolVersion?: string;
    readonly requestId?: number | string;
    readonly _meta?: { readonly progressToken?: number | string };
  };
}
type Result = Readonly<Record<string, unknown>>;
/** An answer, or `undefined` to give none. */
type Handler = (request: Request) => Result | undefined | Promise<Result | undefined>;

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const write = (text: string | Uint8Array): void => void process.stdout.write(text);
const send = (message: Result): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const notify = (method: string, params: Result = {}): void => send({ method, params });
const text = (value: string): Result => ({ content: [{ type: 'text', text: value }] });
const tool = (name: string, extra: Result = {}): Result => ({
  name,
  description: `Fixture tool ${name}`,
  inputSchema: { type: 'object' },
  ...extra,
});

/** Ids of requests that the client cancelled, as the `cancellations` tool reports them. */
const cancelled: (number | string)[] = [];
const argument = process.argv[3];

async function answer(handler: Handler, request: Request): Promise<void> {
  if (request.method === 'notifications/cancelled') cancelled.push(request.params?.requestId ?? '');
  if (request.id === undefined) return;
  const { id } = request;
  try {
    const result = await handler(request);
    if (result !== undefined) send({ id, result });
  } catch (error) {
    const code = error instanceof RpcError ? error.code : -32603;
    send({ id, error: { code, message: (error as Error).message, data: { method: request.method } } });
  }
}

function serve(handler: Handler): void {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) void answer(handler, JSON.parse(line) as Request);
  });
}

type Tools = Record<string, (input: Readonly<Record<string, unknown>>, request: Request) => unknown>;

/** A well-behaved server with `tools`, whose methods `overrides` may replace. */
function toolServer(
  tools: Tools,
  overrides: Record<string, Handler> = {},
  descriptions: Record<string, Result> = {},
): Handler {
  return async (request) => {
    const override = overrides[request.method];
    if (override) return override(request);
    switch (request.method) {
      case 'initialize':
        return {
          protocolVersion: request.params?.protocolVersion ?? '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'fixture', version: '1.0.0' },
        };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: Object.keys(tools).map((name) => tool(name, descriptions[name])) };
      case 'tools/call': {
        const run = tools[request.params?.name ?? ''];
        if (!run) throw new RpcError(-32602, `unknown tool ${request.params?.name ?? ''}`);
        const value = await run(request.params?.arguments ?? {}, request);
        return typeof value === 'string' ? text(value) : (value as Result | undefined);
      }
      default:
        throw new RpcError(-32601, `no method ${request.method}`);
    }
  };
}

let count = 0;
const echoTools: Tools = {
  echo: ({ text: value }) => String(value),
  env: () => JSON.stringify(process.env),
  cwd: () => process.cwd(),
  pid: () => String(process.pid),
  counter: () => String(++count),
  sleep: async ({ ms }) => {
    await pause(Number(ms));
    return 'slept';
  },
  fail: () => ({ ...text('it failed'), isError: true }),
  reject: ({ code }) => {
    throw new RpcError(Number(code ?? -32000), 'rejected');
  },
  crash: () => {
    writeSync(2, 'boom in call\n');
    process.exit(9);
  },
  cancellations: () => JSON.stringify(cancelled),
  progress: async ({ times, everyMs }, { params }) => {
    for (let step = 1; step <= Number(times); step++) {
      await pause(Number(everyMs));
      const progressToken = params?._meta?.progressToken;
      if (progressToken !== undefined) {
        notify('notifications/progress', {
          progressToken,
          progress: step,
          total: Number(times),
          message: `step ${step}`,
        });
      }
    }
    return 'done';
  },
};
echoTools['add_tool'] = ({ name }) => {
  echoTools[String(name)] = () => `called ${String(name)}`;
  notify('notifications/tools/list_changed');
  return 'added';
};

const echoDescriptions: Record<string, Result> = {
  echo: { annotations: { readOnlyHint: true, title: 'Echo' } },
};

const contents: Record<string, Result> = {
  image: { content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }] },
  audio: { content: [{ type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' }] },
  resource_text: { content: [{ type: 'resource', resource: { uri: 'test://a', text: 'in a resource' } }] },
  resource_blob: {
    content: [{ type: 'resource', resource: { uri: 'test://b', blob: 'aGVsbG8=', mimeType: 'application/pdf' } }],
  },
  resource_link: { content: [{ type: 'resource_link', uri: 'test://c', name: 'c', description: 'a link' }] },
  unknown: { content: [{ type: 'hologram', voxels: [1, 2] }] },
  structured: {
    content: [{ type: 'text', text: '{"a":"not a number"}' }],
    structuredContent: { a: 'not a number' },
    _meta: { 'test/trace': 'x' },
    extra: 1,
  },
  empty: { content: [] },
  error_image: { isError: true, content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }] },
};

/** Children that outlive their parent: one holds the pipes, one ignores SIGTERM. */
function spawnChildren(): number[] {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  const stubborn = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
  for (const child of [holder, stubborn]) child.unref();
  return [holder.pid ?? 0, stubborn.pid ?? 0];
}

async function writeSplit(id: number | string, value: string): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: text(value) })}\n`);
  const middle = bytes.indexOf(Buffer.from('你')) + 1;
  write(bytes.subarray(0, middle));
  await pause(50);
  write(bytes.subarray(middle));
}

const servers: Record<string, () => void> = {
  echo: () => serve(toolServer(echoTools, {}, echoDescriptions)),
  'crash-at-start': () => {
    writeSync(2, 'boom\n');
    process.exit(7);
  },
  'crash-in-call': () =>
    serve(toolServer({ crash: echoTools['crash'] as Tools[string], pid: () => String(process.pid) })),
  'crash-after': () => {
    const limit = Number(argument ?? 3);
    const counted = (): string => {
      if (++count >= limit) setImmediate(() => process.exit(3));
      return String(count);
    };
    serve(toolServer({ counter: counted, pid: () => String(process.pid) }));
  },
  silent: () => void process.stdin.resume(),
  'ignores-sigterm': () => {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
    serve(toolServer(echoTools));
  },
  'spawns-children': () => {
    serve(
      toolServer({
        spawn: () => JSON.stringify(spawnChildren()),
        die: () => process.exit(5),
        pid: () => String(process.pid),
      }),
    );
  },
  'floods-stderr': () => {
    const flood = (): void => {
      for (let line = 0; line < 20_000; line++) writeSync(2, `${line} ${'noise ü '.repeat(20)}\n`);
      writeSync(2, 'last line of the flood\n');
    };
    flood();
    serve(
      toolServer({
        flood: () => {
          flood();
          return 'flooded';
        },
      }),
    );
  },
  'endless-pages': () => {
    const list: Handler = ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      return { tools: [tool(`tool_${page}`)], nextCursor: argument === 'same' ? '1' : String(page + 1) };
    };
    serve(toolServer({}, { 'tools/list': list }));
  },
  'many-pages': () => {
    const names = Array.from({ length: 300 }, (_, index) => `tool_${index}`);
    const list: Handler = ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const next = from + 10 < names.length ? { nextCursor: String(from + 10) } : {};
      return { tools: names.slice(from, from + 10).map((name) => tool(name)), ...next };
    };
    serve(toolServer(Object.fromEntries(names.map((name) => [name, () => name])), { 'tools/list': list }));
  },
  'huge-result': () => serve(toolServer({ huge: ({ bytes }) => 'x'.repeat(Number(bytes ?? 12 * 1024 * 1024)) })),
  'unknown-content': () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const tools = Object.fromEntries(Object.entries(contents).map(([name, result]) => [name, () => result]));
    serve(toolServer(tools, {}, { structured: { outputSchema } }));
  },
  'split-utf8': () =>
    serve(
      toolServer({
        split: (_, { id }) => writeSplit(id ?? 0, 'you 你 me'),
        separators: () => 'a\u2028b\u2029c\u0085d',
      }),
    ),
  'slow-start': () => {
    const base = toolServer(echoTools);
    serve(
      toolServer(echoTools, {
        initialize: async (request) => {
          await pause(Number(argument ?? 1000));
          return base(request);
        },
      }),
    );
  },
  'odd-names': () => {
    const names = ['ns:do', 'ns.do', 'fs.read', 'ns_do', 'a'.repeat(128), `${'a'.repeat(127)}b`];
    serve(toolServer(Object.fromEntries(names.map((name) => [name, () => `called ${name}`]))));
  },
  'duplicate-tools': () => {
    const list: Handler = () => ({ tools: [tool('same', { description: 'first' }), tool('same'), tool('other')] });
    serve(toolServer({ same: () => 'same' }, { 'tools/list': list }));
  },
  'tools-list-errors': () => {
    const base = toolServer(echoTools);
    const list: Handler = (request) => {
      count += 1;
      if (argument === 'second' ? count === 2 : true) throw new RpcError(-32603, 'the list is broken');
      return base(request);
    };
    serve(toolServer(echoTools, { 'tools/list': list }));
  },
  noise: () => {
    const noisy: Handler = (request) => {
      write('starting up…\n\n{"level":"info"}\n42\n[]\r\n{"jsonrpc": broken\n');
      return toolServer(echoTools)(request);
    };
    serve(noisy);
  },
  'endless-line': () =>
    serve(
      toolServer({
        flood: async () => {
          const piece = Buffer.alloc(1024 * 1024, 'x');
          for (let sent = 0; sent < 80; sent++) {
            if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
          }
          return undefined;
        },
      }),
    ),
};

const start = servers[process.argv[2] ?? ''];
if (!start) {
  writeSync(2, `Give one of: ${Object.keys(servers).join(', ')}\n`);
  process.exit(2);
}
start();
