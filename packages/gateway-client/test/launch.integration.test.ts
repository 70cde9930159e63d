import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Launched, launchCommand, launchGateway, putGatewayFiles } from '../src/sandbox/launch-gateway.ts';
import type { SandboxCommand } from '../src/index.ts';
import type { ProcessSandbox } from './engine/process-workspace.ts';
import { runs, useGateway } from './support/gateway-tests.ts';

const tests = useGateway();

/** Sleeps of the scripts that wait, after which they wait for the gateway to be let go: more than five seconds of them. */
const SLEEPS = 150;

let sandbox: ProcessSandbox;
let lock: string;

/** In the directory of the tests' files. */
const at = (name: string): string => join(tests.parent, name);

const linesOf = async (name: string): Promise<readonly string[]> => {
  const text = await readFile(at(name), 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
};

/**
 * A `node` that starts no gateway until it is let go, however fast the machine is, and a `sleep` that takes no time,
 * but for a script that has slept enough.
 */
async function makePrograms(): Promise<void> {
  const untilGo = `until [ -e '${at('go')}' ] || [ ! -d '${tests.parent}' ]; do /bin/sleep 0.02; done`;
  const node = `[ "$1" = -e ] || { echo $$ >>'${at('gateways')}'; ${untilGo}; }\nexec '${process.execPath}' "$@"`;
  const sleep = `echo x >>'${at('sleeps')}'\n[ "$(wc -l <'${at('sleeps')}')" -lt ${SLEEPS} ] || ${untilGo}`;
  await mkdir(at('bin'));
  await writeFile(at('bin/node'), `#!/bin/sh\n${node}\n`, { mode: 0o755 });
  await writeFile(at('bin/sleep'), `#!/bin/sh\n${sleep}\n`, { mode: 0o755 });
}

/** What a host runs, with these programs. */
function command(attachmentId: string): SandboxCommand {
  const { argv, stdin } = launchCommand(sandbox, { attachmentId, token: 'x'.repeat(43), ttlMs: 60_000 });
  const withPrograms = argv.map((argument) => (argument === sandbox.gateway.node ? at('bin/node') : argument));
  return { argv: ['env', `PATH=${at('bin')}:${process.env['PATH']}`, ...withPrograms], stdin };
}

const launch = (attachmentId: string): Promise<Launched> => launchGateway(sandbox, command(attachmentId));

/** The number of a process that was. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'close');
  return child.pid ?? 0;
}

/** In seconds, since the machine runs. */
const now = (): number => Math.floor(uptime());
const longAgo = (): number => Math.max(0, now() - 3_600);

beforeEach(async () => {
  sandbox = tests.sandbox();
  lock = `${sandbox.gateway.adminSocket}.lock`;
  await sandbox.start();
  await putGatewayFiles(sandbox);
  await makePrograms();
});

describe('two launches at once', () => {
  it('start one gateway, however long that takes', async () => {
    const first = launch('one');
    await expect.poll(() => linesOf('gateways'), { timeout: 20_000 }).toHaveLength(1);
    const second = launch('two');
    await expect.poll(async () => (await linesOf('sleeps')).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(SLEEPS);
    await writeFile(at('go'), '');
    expect((await Promise.all([first, second])).map(({ how }) => how)).toEqual(['started', 'attached']);
    expect(await linesOf('gateways')).toEqual([String(await tests.gatewayPid())]);
    await expect.poll(() => readlink(lock).catch((error: { code: string }) => error.code)).toBe('ENOENT');
  });

  it('start one where the other begins and ends between two steps of the one', async () => {
    await writeFile(at('go'), '');
    const untilLate = `touch '${at('asked')}'; until [ -e '${at('late')}' ]; do /bin/sleep 0.02; done`;
    await writeFile(at('bin/ln'), `#!/bin/sh\n${untilLate}\nexec /bin/ln "$@"\n`, { mode: 0o755 });
    const slow = launch('one');
    await expect
      .poll(
        () =>
          stat(at('asked')).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    const { argv, stdin } = launchCommand(sandbox, { attachmentId: 'two', token: 'y'.repeat(43), ttlMs: 60_000 });
    expect(await launchGateway(sandbox, { argv, stdin })).toMatchObject({ how: 'started' });
    const pid = await tests.gatewayPid();
    await writeFile(at('late'), '');
    expect(await slow).toEqual({ how: 'attached' });
    expect([await tests.gatewayPid(), await runs(pid)]).toEqual([pid, true]);
  });

  it('end no gateway but their own', async () => {
    const first = launch('one').catch((error: unknown) => error);
    await expect.poll(() => linesOf('gateways'), { timeout: 20_000 }).toHaveLength(1);
    // As if its host had given up on it long ago.
    await rm(lock);
    await symlink(`${process.pid}.${longAgo()}`, lock);
    const second = launch('two');
    await expect.poll(() => linesOf('gateways'), { timeout: 20_000 }).toHaveLength(2);
    expect(await first).toMatchObject({ code: 'gateway-start-failed' });
    const [ended = '', theirs = ''] = await linesOf('gateways');
    expect([await runs(Number(ended)), await runs(Number(theirs))]).toEqual([false, true]);
    await writeFile(at('go'), '');
    expect(await second).toMatchObject({ how: 'started', ready: { pid: Number(theirs) } });
  });
});

describe('a lock that was left behind', () => {
  beforeEach(() => writeFile(at('go'), ''));

  it.each([
    ['by a script that is gone', async () => `${await deadPid()}.${now()}`],
    ['by one that nobody waits for any more', async () => `${process.pid}.${longAgo()}`],
    ['by nobody knows whom', async () => 'anything else'],
  ])('%s is taken away at once', async (_whose, holder) => {
    await symlink(await holder(), lock);
    expect(await launch('one')).toMatchObject({ how: 'started', ready: { attachmentId: 'one' } });
    expect(await linesOf('sleeps')).toEqual([]);
    await expect.poll(() => readlink(lock).catch((error: { code: string }) => error.code)).toBe('ENOENT');
  });
});
