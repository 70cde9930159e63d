import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NODES } from './support/nodes.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('../dist/', import.meta.url));
const SDK = pathToFileURL(join(dirname(createRequire(import.meta.url).resolve('e2b')), 'index.mjs')).href;

/** What someone has of their own: it knows the SDK, and of the emulator only the variables. */
const CLIENT = `
import { Sandbox } from ${JSON.stringify(SDK)};
const sandbox = await Sandbox.create({ timeoutMs: 60_000 });
const { stdout } = await sandbox.commands.run('echo "$E2B_SANDBOX_ID"');
let port;
await sandbox.commands.run(
  \`node -e "const s = require('http').createServer((q, a) => a.end('served')).listen(0, () => console.log(s.address().port))"\`,
  { background: true, onStdout: (text) => { port = Number(text); } },
);
while (port === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
const answers = await Promise.all(['http', 'https'].map((scheme) => fetch(scheme + '://' + sandbox.getHost(port))));
const served = await Promise.all(answers.map((answer) => answer.text()));
console.log(JSON.stringify({ isSame: stdout.trim() === sandbox.sandboxId, served }));
await sandbox.kill();
process.exit(0);
`;

describe('the program', () => {
  let directory: string;
  let emulator: ChildProcess | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'e2b-emulator-test-'));
  });
  afterEach(async () => {
    if (emulator?.exitCode === null) {
      const exited = once(emulator, 'exit');
      emulator.kill('SIGTERM');
      await exited;
    }
    emulator = undefined;
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts it, and gives the variables that it prints. */
  async function start(...argv: readonly string[]): Promise<Record<string, string>> {
    const child = spawn(process.execPath, [MAIN, '--port', '0', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    emulator = child;
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
    await expect.poll(() => printed, { timeout: 50_000 }).toContain('NODE_EXTRA_CA_CERTS');
    return Object.fromEntries(Object.entries(parseEnv(printed)).map(([name, value]) => [name, value ?? '']));
  }

  async function runClient(node: string, variables: Record<string, string>): Promise<unknown> {
    const client = join(directory, 'client.mjs');
    await writeFile(client, CLIENT);
    const env = { PATH: process.env['PATH'], ...variables };
    const child = spawn(node, [client], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return JSON.parse(await text(child.stdout));
  }

  it.each(NODES)('leads the SDK and the fetch of $name to sandboxes by variables alone', async ({ node }) => {
    const variables = await start('--isolation', 'process');
    expect(await runClient(node, variables)).toEqual({ isSame: true, served: ['served', 'served'] });
  });

  it('leads the SDK by the domain alone, too', async () => {
    const { E2B_API_URL: _api, E2B_SANDBOX_URL: _sandbox, ...variables } = await start('--isolation', 'process');
    expect(await runClient(process.execPath, variables)).toEqual({ isSame: true, served: ['served', 'served'] });
  });

  it('ends when it is told to, with status 0 and nothing left', async () => {
    const { NODE_EXTRA_CA_CERTS: path = '' } = await start('--isolation', 'process', '--quiet');
    await expect(readFile(path, 'utf8')).resolves.toContain('BEGIN CERTIFICATE');
    emulator?.kill('SIGTERM');
    expect(await once(emulator ?? process, 'exit')).toEqual([0, null]);
    await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT');
  });

  it.each([
    [['--isolation', 'magic'], '--isolation is one of auto, docker, namespaces, process, not magic.'],
    [['--port', 'x'], '--port is a number up to 65535, not x.'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('refuses %j', async (argv, message) => {
    const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, said]).toEqual([1, expect.stringContaining(message)]);
  });

  it('starts an envd of its user with the arguments of the real one', async () => {
    const envd = join(directory, 'envd');
    // In the place of the real one, which cannot be had here: it has its arguments, and the built-in one's behaviour.
    await writeFile(
      envd,
      `#!/bin/sh
echo "$*" > '${directory}/arguments'
exec '${process.execPath}' '${PROGRAMS}envd.cjs' --port "$4" --sole-user-home "$PWD"
`,
    );
    await chmod(envd, 0o755);
    const variables = await start('--isolation', 'process', '--envd', envd);
    expect(await runClient(process.execPath, variables)).toMatchObject({ isSame: true });
    expect(await readFile(join(directory, 'arguments'), 'utf8')).toMatch(/^-isnotfc -no-cgroups -port \d+\n$/);
  });
});
