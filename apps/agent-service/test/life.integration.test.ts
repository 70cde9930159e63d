import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { isToolUIPart } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, framesOf, saidIn, sessionPath, textIn, untilFrame } from './support/client.ts';
import { type ProcessOptions, ServiceProcess } from './support/service-process.ts';

const TOKEN = 'token-of-alpha-0123456789';
const session = sessionPath('coder', 'chat');
/** Far beyond what a busy machine takes. */
const PATIENT = { timeout: 120_000 };

let directory: TemporaryDirectory;
const running: ServiceProcess[] = [];
beforeEach(async () => {
  directory = await TemporaryDirectory.create();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service[Symbol.asyncDispose]()));
  await directory[Symbol.asyncDispose]();
});

const options = (...args: readonly string[]): ProcessOptions => ({
  args: ['--basedir', directory.at('data'), '--single-tenant', ...args],
  env: { AGENT_SERVICE_TOKENS: JSON.stringify({ [TOKEN]: 'alpha' }) },
});

async function start(...args: readonly string[]): Promise<readonly [ServiceProcess, Client]> {
  const service = await ServiceProcess.start(options(...args));
  running.push(service);
  return [service, service.client(TOKEN)];
}

async function begin(client: Client, path: string, text: string): Promise<ReturnType<typeof framesOf>> {
  return framesOf(await client.request('POST', `${path}/chat`, { json: { text } }));
}

/** The directory of the one workspace that there is. */
async function workdir(): Promise<string> {
  const [name = ''] = await readdir(directory.at('data/workspaces'));
  return directory.at(join('data/workspaces', name));
}

describe('a service that is killed in the middle of chats', PATIENT, () => {
  it('goes on with their sessions when it is back, and has what they offloaded', async () => {
    const [first, before] = await start();
    // One has a result in a file and words on their way, one a call, and one a question.
    const thinking = await begin(before, session, '/hang seq 1 20000');
    await untilFrame(thinking, ({ data }) => data.includes('Thinking'));
    const calling = sessionPath('coder', 'calling');
    const called = await begin(before, calling, '/run echo $$ > pid; exec sleep 300');
    await untilFrame(called, ({ data }) => data.includes('tool-input-available'));
    await expect
      .poll(async () => await readFile(join(await workdir(), 'pid'), 'utf8').catch(() => ''), PATIENT)
      .toMatch(/\d\n/u);
    const asking = sessionPath('coder', 'asking');
    const asked = await before.chat(asking, { text: '/write approved.txt yes', permissionMode: 'ask' });
    first.kill('SIGKILL');
    expect(await first.exit()).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(untilFrame(thinking, () => false)).rejects.toThrow('terminated');
    await expect(untilFrame(called, () => false)).rejects.toThrow('terminated');
    process.kill(Number(await readFile(join(await workdir(), 'pid'), 'utf8')), 'SIGKILL');

    const [, after] = await start();
    const messages = await after.messages(session);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(textIn(messages[1])).toContain('Thinking about it');
    const { results } = await after.json<{ results: { name: string }[] }>('GET', `${session}/results`);
    const text = await after.request('GET', `${session}/results/${results[0]?.name}`);
    expect(await text.text()).toContain('\n19999\n20000');
    const offloaded = `sessions/chat/${results[0]?.name}`;
    expect(saidIn(await after.chat(session, { text: `/read ${offloaded}` }))).toContain('\t2\n');
    expect(await after.messages(session)).toHaveLength(4);

    const [, torn] = await after.messages(calling);
    expect(torn?.parts.filter(isToolUIPart)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('The service ended') as string },
    ]);
    expect(saidIn(await after.chat(calling, { text: '/say on we go' }))).toBe('on we go');
    expect((await after.messages(calling))[1]).toEqual(torn);

    const approvals = asked.flatMap((chunk) =>
      chunk.type === 'tool-approval-request' ? [{ id: chunk.approvalId, approved: true }] : [],
    );
    expect(saidIn(await after.chat(asking, { approvals }))).toContain('Created');
    expect(await readFile(join(await workdir(), 'approved.txt'), 'utf8')).toBe('yes');
  });
});

describe('a service that is told to end', PATIENT, () => {
  it('lets a turn end, takes no other, and is gone then', async () => {
    const [service, client] = await start('--drain', '60');
    const frames = await begin(client, session, '/run until [ -e go ]; do sleep 0.05; done; echo it went');
    await untilFrame(frames, ({ data }) => data.includes('tool-input-available'));
    service.kill('SIGTERM');
    await expect.poll(async () => (await service.fetch('/readyz')).status, PATIENT).toBe(503);
    expect((await service.fetch('/healthz')).status).toBe(200);
    const refused = await client.request('POST', `${sessionPath('coder', 'late')}/chat`, { json: { text: 'x' } });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/u);
    expect(await refused.json()).toMatchObject({ error: { code: 'service-draining' } });
    await writeFile(join(await workdir(), 'go'), '');
    await untilFrame(frames, ({ data }) => data.includes('tool-output-available') && data.includes('it went'));
    await untilFrame(frames, ({ data }) => data === '[DONE]');
    expect(await service.exit()).toEqual({ code: 0, signal: null });
  });

  it('stops what takes too long, tells its client, and has it stored', async () => {
    const [service, client] = await start('--drain', '0');
    const frames = await begin(client, session, '/hang');
    await untilFrame(frames, ({ data }) => data.includes('Thinking'));
    service.kill('SIGTERM');
    await untilFrame(frames, ({ data }) => data.includes('"abort"'));
    await untilFrame(frames, ({ data }) => data === '[DONE]');
    expect(await service.exit()).toEqual({ code: 0, signal: null });
    const [, again] = await start();
    expect(textIn((await again.messages(session))[1])).toContain('Thinking');
  });

  it('does not wait at the second signal', async () => {
    const [service, client] = await start('--drain', '600');
    const frames = await begin(client, session, '/hang');
    await untilFrame(frames, ({ data }) => data.includes('Thinking'));
    service.kill('SIGTERM');
    await expect.poll(async () => (await service.fetch('/readyz')).status, PATIENT).toBe(503);
    service.kill('SIGTERM');
    expect(await service.exit()).toEqual({ code: 1, signal: null });
    await frames.return().catch(() => undefined);
  });
});

describe('the start of a service', PATIENT, () => {
  it('makes a token where there is none, prints it once, and logs it never', async () => {
    const service = await ServiceProcess.start({ args: ['--basedir', directory.at('data')] });
    running.push(service);
    await expect.poll(() => service.stdout, PATIENT).toContain('--single-tenant');
    const [, token = ''] = /shown once: (\S+)/u.exec(service.stdout) ?? [];
    expect(await service.client(token).json('GET', '/v1/status')).toMatchObject({ tenant: 'owner', backend: 'local' });
    await service.client(token).chat(session, { text: '/fail with a reason' });
    expect((await service.fetch('/metrics')).status).toBe(200);
    await expect.poll(() => service.stderr, PATIENT).toContain('"route":"/metrics"');
    expect(service.stderr).not.toContain(token);
    expect(service.stdout.split(token)).toHaveLength(2);
  });

  it.each([
    [['--host', '0.0.0.0'], {}, /can be reached from other machines/u],
    [['--backend', 'vm'], {}, /--backend is "vm"/u],
    [['--tokens', 'nowhere.json'], {}, /The tokens cannot be read/u],
    [[], { AGENT_SERVICE_TOKENS: '{"short":"x"}' }, /a token has at least 16 characters/u],
    [['--model', 'a/b'], {}, /AI_GATEWAY_API_KEY/u],
  ] as const)('is refused with %j', async (args, env, reason) => {
    const service = new ServiceProcess({ args: ['--basedir', directory.at('data'), ...args], env });
    running.push(service);
    expect(await service.exit()).toEqual({ code: 2, signal: null });
    expect(service.stderr).toMatch(reason);
    expect(service.stderr).toContain('Usage: pnpm service');
    expect(service.stderr).not.toContain('"short"');
  });

  it('is refused where another has the data', async () => {
    await start();
    const second = new ServiceProcess(options());
    running.push(second);
    expect((await second.exit()).code).toBe(1);
    expect(second.stderr).toContain("Is it another service's?");
  });
});
