import assert from 'node:assert/strict';
import type { Sandbox } from 'e2b';
import { eventually, type SdkCase } from './sdk-case.ts';

const BROWSER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0.4472.124';

/** Prints whether anything outside is reached. */
const CONNECTING_OUT = `python3 -c "import socket; socket.create_connection(('1.1.1.1', 443), 3)" 2>/dev/null && echo reached || echo refused`;

/** Starts a server inside, and waits until it is reached at its host. Tells the requests that it got. */
async function serve(sandbox: Sandbox, port: number, headers: Record<string, string> = {}): Promise<string> {
  const script = [
    'import http.server',
    'class Handler(http.server.BaseHTTPRequestHandler):',
    '  def do_GET(self):',
    '    self.send_response(200); self.end_headers()',
    '    self.wfile.write(f"host {self.headers[\'Host\']}".encode())',
    '  def log_message(self, *args): pass',
    `http.server.HTTPServer(("127.0.0.1", ${port}), Handler).serve_forever()`,
  ];
  await sandbox.files.write('server.py', script.join('\n'));
  await sandbox.commands.run('python3 server.py', { background: true, timeoutMs: 0 });
  const url = `https://${sandbox.getHost(port)}`;
  await eventually(async () => assert.equal((await fetch(url, { headers })).status, 200));
  return url;
}

/** How the ports of sandboxes are reached, and what metrics and tokens there are. */
export const cases: readonly SdkCase[] = [
  {
    name: 'getHost: reaches a server inside, also after a pause',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create();
      const url = await serve(sandbox, 8000);
      await sandbox.pause();
      assert.equal((await fetch(url)).status, 502);
      await sandbox.connect();
      assert.equal((await fetch(url)).status, 200);
    },
  },
  {
    name: 'getHost: tells of a closed port, in JSON or as a page',
    async run({ sandbox }) {
      const url = `https://${sandbox.getHost(3999)}`;
      const answer = await fetch(url);
      assert.equal(answer.status, 502);
      assert.deepEqual(await answer.json(), {
        sandboxId: sandbox.sandboxId,
        message: 'The sandbox is running but port is not open',
        port: 3999,
        code: 502,
      });
      const page = await fetch(url, { headers: { 'user-agent': BROWSER } });
      assert.equal(page.status, 502);
      assert.match(await page.text(), /<title>Closed Port Error<\/title>/);
    },
  },
  {
    name: 'getHost: tells of a sandbox that is no more',
    async run({ create }) {
      const sandbox = await create();
      await sandbox.kill();
      const answer = await fetch(`https://${sandbox.getHost(3000)}`);
      assert.equal(answer.status, 502);
      const { message, code } = (await answer.json()) as { readonly message: string; readonly code: number };
      assert.deepEqual([message, code], ['The sandbox was not found', 502]);
    },
  },
  {
    name: 'getHost: wakes a sandbox that resumes by itself',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create({ timeoutMs: 60_000, lifecycle: { onTimeout: 'pause', autoResume: true } });
      const url = await serve(sandbox, 8000);
      await sandbox.pause();
      assert.equal((await fetch(url)).status, 200);
      assert.equal((await sandbox.getInfo()).state, 'running');
    },
  },
  {
    name: 'network: private ports take the traffic token',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create({ network: { allowPublicTraffic: false } });
      const token = sandbox.trafficAccessToken;
      assert.ok(token !== undefined && token !== '');
      const headers = { 'e2b-traffic-access-token': token };
      const url = await serve(sandbox, 8080, headers);
      assert.equal((await fetch(url)).status, 403);
      assert.equal((await fetch(url, { headers: { 'e2b-traffic-access-token': 'wrong' } })).status, 403);
      assert.equal((await fetch(url, { headers })).status, 200);
      assert.equal((await sandbox.commands.run('echo reached')).stdout, 'reached\n');
    },
  },
  {
    name: 'network: maskRequestHost is the host that the server sees',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create({ network: { maskRequestHost: 'custom.example.com:${PORT}' } });
      const url = await serve(sandbox, 8080);
      assert.equal(await (await fetch(url)).text(), 'host custom.example.com:8080');
    },
  },
  {
    name: 'network: httpsPorts are spoken to in TLS',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create({ network: { httpsPorts: [8443] } });
      const { network } = await sandbox.getInfo();
      // SDKs before 2.51 do not send it.
      if (network === undefined || !('httpsPorts' in network)) return;
      const certificate = 'openssl req -x509 -newkey rsa:2048 -keyout key.pem -out cert.pem -days 1 -nodes -subj /CN=x';
      await sandbox.commands.run(`${certificate} 2>/dev/null`);
      const script = [
        'import http.server, ssl',
        'server = http.server.HTTPServer(("127.0.0.1", 8443), http.server.SimpleHTTPRequestHandler)',
        'context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)',
        'context.load_cert_chain("cert.pem", "key.pem")',
        'server.socket = context.wrap_socket(server.socket, server_side=True)',
        'server.serve_forever()',
      ];
      await sandbox.files.write('server.py', script.join('\n'));
      await sandbox.commands.run('python3 server.py', { background: true, timeoutMs: 0 });
      const url = `https://${sandbox.getHost(8443)}`;
      await eventually(async () => assert.equal((await fetch(url)).status, 200));
    },
  },
  {
    name: 'network: without internet nothing outside is reached',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create({ allowInternetAccess: false });
      assert.equal((await sandbox.commands.run(CONNECTING_OUT)).stdout, 'refused\n');
    },
  },
  {
    name: 'metrics: tell of the sandbox',
    async run({ sandbox }) {
      await eventually(async () => {
        const [metrics] = await sandbox.getMetrics();
        assert.ok(metrics !== undefined);
        assert.ok(metrics.cpuCount > 0 && metrics.memTotal > 0 && metrics.diskTotal > 0);
        assert.ok(metrics.memUsed > 0 && metrics.diskUsed >= 0 && metrics.cpuUsedPct >= 0);
      }, 20_000);
    },
  },
  {
    name: 'metrics: are those of a range of time',
    async run({ sandbox }) {
      const start = new Date();
      await eventually(async () => {
        const metrics = await sandbox.getMetrics({ start, end: new Date() });
        assert.ok(metrics.length > 0);
        for (const { timestamp } of metrics) assert.ok(Math.abs(timestamp.getTime() - start.getTime()) < 30_000);
      }, 20_000);
      const before = (minutes: number): Date => new Date(start.getTime() - minutes * 60_000);
      assert.deepEqual(await sandbox.getMetrics({ start: before(60), end: before(30) }), []);
    },
  },
  {
    name: 'network: updateNetwork closes the way out, and says so',
    needsRoot: true,
    async run({ sdk, create }) {
      const sandbox = await create();
      await sandbox.updateNetwork({ denyOut: [sdk.ALL_TRAFFIC] });
      assert.deepEqual((await sandbox.getInfo()).network?.denyOut, [sdk.ALL_TRAFFIC]);
      assert.equal((await sandbox.commands.run(CONNECTING_OUT)).stdout, 'refused\n');
      await sandbox.updateNetwork({});
      assert.equal((await sandbox.getInfo()).network?.denyOut, undefined);
    },
  },
  {
    name: 'secured: the token is needed, and connect brings it along',
    async run({ sdk, create }) {
      const sandbox = await create();
      await sandbox.files.write('f.txt', 'content');
      const url = new URL(await sandbox.downloadUrl('f.txt'));
      assert.ok(url.searchParams.has('signature'));
      url.searchParams.delete('signature');
      assert.ok((await fetch(url)).status >= 400);
      const again = await sdk.Sandbox.connect(sandbox.sandboxId);
      assert.equal(await again.files.read('f.txt'), 'content');
    },
  },
  {
    name: 'envs: are those of the sandbox, and of the command before them',
    async run({ create }) {
      const sandbox = await create({ envs: { FROM: 'sandbox', ONLY: 'here' } });
      const { stdout } = await sandbox.commands.run('echo $FROM $ONLY $E2B_SANDBOX', { envs: { FROM: 'command' } });
      assert.equal(stdout, 'command here true\n');
    },
  },
  {
    name: 'mcp: a gateway that cannot start leaves no sandbox behind',
    async run({ sdk }) {
      const metadata = { gateway: 'not-there' };
      const creating = sdk.Sandbox.create({ metadata, mcp: { invalid_server: {} } as never });
      await assert.rejects(creating, /MCP gateway/);
      assert.deepEqual(await sdk.Sandbox.list({ query: { metadata } }).nextItems(), []);
    },
  },
];
