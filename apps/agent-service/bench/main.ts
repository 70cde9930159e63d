/**
 * `pnpm -C apps/agent-service bench [--chats N] [--rounds N]`: so many chats at once, over HTTP to a
 * service in a process of its own, with the scripted model on local workspaces. Each is a turn of three
 * calls. Prints a table of latencies and of the service's memory, a row for each round.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, framesOf, sessionPath } from '../test/support/client.ts';
import { ServiceProcess } from '../test/support/service-process.ts';

const TOKENS = { 'token-of-alpha-0123456789': 'alpha', 'token-of-beta-0123456789': 'beta' };
const AGENTS = 20;
const COLLECT_GARBAGE = new URL('collect-garbage.ts', import.meta.url).href;

interface Chat {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly isDone: boolean;
}

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { chats: { type: 'string', default: '200' }, rounds: { type: 'string', default: '10' } },
});
const chats = Number(values.chats);
const basedir = await mkdtemp(join(tmpdir(), 'agent-service-bench-'));
try {
  await using service = await ServiceProcess.start({
    args: ['--basedir', basedir, '--max-chats', String(chats)],
    env: { AGENT_SERVICE_TOKENS: JSON.stringify(TOKENS), NODE_OPTIONS: `--import=${COLLECT_GARBAGE}` },
  });
  const clients = Object.keys(TOKENS).map((token) => service.client(token));
  console.log(
    `${chats} chats at once, Node ${process.version}, ${availableParallelism()} cores, the clients among them\n`,
  );
  const rows: Record<string, string>[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const results = await Promise.all(
      Array.from({ length: chats }, (_, index) => {
        const client = clients[index % clients.length];
        if (client === undefined) throw new Error('There are no clients.');
        return chat(client, sessionPath(`agent-${index % AGENTS}`, `chat-${round}-${index}`));
      }),
    );
    const memory = await memoryOf(service);
    rows.push({
      round: String(round),
      errors: String(results.filter(({ isDone }) => !isDone).length),
      ...quantiles(
        'first event',
        results.map(({ firstMs }) => firstMs),
      ),
      ...quantiles(
        'whole turn',
        results.map(({ wholeMs }) => wholeMs),
      ),
      ...memory,
    });
  }
  console.log(table(rows));
  for (const client of clients) {
    const { workspaces } = await client.json<{ workspaces: { workspaceId: string }[] }>('GET', '/v1/workspaces');
    for (const { workspaceId } of workspaces) await client.json('POST', `/v1/workspaces/${workspaceId}/close`);
  }
  const { resident, 'heap in use': heap } = await memoryOf(service);
  console.log(`\nWith all workspaces closed: ${resident} resident, ${heap} of heap in use.`);
} finally {
  await rm(basedir, { recursive: true, force: true });
}

async function chat(client: Client, session: string): Promise<Chat> {
  const since = performance.now();
  const response = await client.request('POST', `${session}/chat`, { json: { text: 'Have a look around.' } });
  let firstMs: number | undefined;
  let last = '';
  let hasFailed = !response.ok;
  for await (const { data } of framesOf(response)) {
    firstMs ??= performance.now() - since;
    hasFailed ||= data.includes('"type":"error"') || data.includes('"type":"tool-output-error"');
    last = data;
  }
  const wholeMs = performance.now() - since;
  return { firstMs: firstMs ?? wholeMs, wholeMs, isDone: last === '[DONE]' && !hasFailed };
}

function quantiles(name: string, times: readonly number[]): Record<string, string> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)} ms`;
  return { [`${name} p50`]: at(0.5), [`${name} p95`]: at(0.95), [`${name} max`]: at(1) };
}

async function memoryOf(service: ServiceProcess): Promise<Record<string, string>> {
  const before = service.stderr.length;
  service.kill('SIGUSR2');
  while (!service.stderr.includes('collected', before)) await sleep(20);
  const metrics = await (await service.fetch('/metrics')).text();
  const megabytes = (name: string): string => {
    const [, bytes = '0'] = new RegExp(`^${name} (\\d+)`, 'mu').exec(metrics) ?? [];
    return `${Math.round(Number(bytes) / 1024 ** 2)} MiB`;
  };
  return { resident: megabytes('process_resident_memory_bytes'), 'heap in use': megabytes('process_heap_bytes') };
}

function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, names.map(() => '---:'), ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
