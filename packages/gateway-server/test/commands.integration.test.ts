import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { encodeFrame } from '@agent-workspace/gateway-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayBundle } from '../src/bundle/gateway-bundle.ts';
import { framesIn, framesOf } from './support/decode.ts';
import { GatewayProcess, newToken } from './support/gateway-process.ts';
import { NODES } from './support/nodes.ts';
import { isAlive } from './support/processes.ts';

const EXITED = { kind: 'exited', exitCode: 0 };
/** A tree of three, whose last member is in a session of its own. Writes their pids. */
const TREE = 'sleep 300 & first=$!; setsid sleep 300 & echo $$ $first $! >pids; wait';

describe.each(NODES)('commands of the gateway on $name', ({ node }) => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.start({ node });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const treePids = async (): Promise<readonly number[]> => {
    const path = join(gateway.workdir, 'pids');
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8').trim() !== '').toBe(true);
    const pids = readFileSync(path, 'utf8').trim().split(' ').map(Number);
    await rm(path);
    return pids;
  };
  const expectGone = (pids: readonly number[]): Promise<void> =>
    expect.poll(() => pids.filter(isAlive), { timeout: 20_000 }).toEqual([]);

  it('runs one, and gives its output with its end', async () => {
    const answer = await gateway.exec(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(answer.headers['content-type']).toBe('application/vnd.agent-workspace.frames');
    const [result, ...others] = await framesOf(answer.bytes);
    expect(others).toEqual([]);
    expect(result?.header).toMatchObject({
      type: 'result',
      end: { kind: 'exited', exitCode: 3 },
      stdout: { headBytes: 4, tailBytes: 0, droppedBytes: 0, totalBytes: 4 },
      stderr: { headBytes: 4, tailBytes: 0, droppedBytes: 0, totalBytes: 4 },
    });
    expect(Buffer.from(result?.bytes ?? []).toString()).toBe('out\nerr\n');
  });

  it('passes stdin on in as many frames as it comes', async () => {
    const body = Buffer.concat([
      encodeFrame({ argv: ['cat'], hasStdin: true, streams: false }, Buffer.from('one ')),
      encodeFrame({}, Buffer.from('two ')),
      encodeFrame({ end: true }, Buffer.from('three')),
    ]);
    const [result] = await framesOf((await gateway.request('/exec', { body })).bytes);
    expect(Buffer.from(result?.bytes ?? []).toString()).toBe('one two three');
  });

  it('starts nothing of a request that breaks off', async () => {
    const body = encodeFrame({ argv: ['touch', 'half'], hasStdin: true, streams: false }, Buffer.from('one '));
    const answer = await gateway.request('/exec', { body });
    expect([answer.status, answer.json()]).toMatchObject([400, { code: 'gateway-request-invalid' }]);
    expect(existsSync(join(gateway.workdir, 'half'))).toBe(false);
  });

  it('sends output as it comes, and says that it is alive meanwhile', async () => {
    const argv = ['sh', '-c', 'echo begun; until [ -e go ]; do sleep 0.05; done; echo done'];
    const body = encodeFrame({ argv, hasStdin: false, streams: true, end: true });
    const { body: answer } = await gateway.open('/exec', { body });
    const seen: unknown[] = [];
    for await (const { header, bytes } of framesIn(answer)) {
      seen.push(header['type'] === 'output' ? Buffer.from(bytes).toString() : header['type']);
      if (header['type'] === 'alive') await gateway.exec(['touch', 'go']);
    }
    expect(seen).toEqual(['begun\n', 'alive', 'done\n', 'result']);
  });

  it('waits for a slow reader of output rather than hold it', async () => {
    const argv = ['sh', '-c', 'head -c 200000000 /dev/zero; echo end >written'];
    const body = encodeFrame({ argv, hasStdin: false, streams: true, end: true });
    const { body: answer } = await gateway.open('/exec', { body });
    const written = join(gateway.workdir, 'written');
    const residentMiB = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8'))?.[1]) / 1024;
    // Nobody reads: it stands still, whatever is asked besides.
    for (let round = 0; round < 20; round++) await gateway.exec(['sleep', '0.05']);
    expect(existsSync(written)).toBe(false);
    expect(residentMiB()).toBeLessThan(200);
    let length = 0;
    for await (const { header, bytes } of framesIn(answer)) {
      if (header['type'] === 'output') length += bytes.byteLength;
    }
    expect(length).toBe(200_000_000);
    expect(existsSync(written)).toBe(true);
  });

  it('[D07] ends the whole tree of one that is cancelled by its id', async () => {
    const id = randomUUID();
    const running = gateway.exec(['sh', '-c', TREE], { headers: { 'x-call-id': id } });
    const pids = await treePids();
    const cancelled = await gateway.request(`/calls/${id}`, { method: 'DELETE' });
    expect(cancelled.json()).toEqual({ isCancelled: true });
    const [result] = await framesOf((await running).bytes);
    expect(result?.header).toMatchObject({ type: 'result', end: { kind: 'aborted' } });
    await expectGone(pids);
    expect((await gateway.request(`/calls/${id}`, { method: 'DELETE' })).json()).toEqual({ isCancelled: false });
  });

  it('does not start one whose cancellation overtook it', async () => {
    const headers = { 'x-call-id': randomUUID() };
    await gateway.request(`/calls/${headers['x-call-id']}`, { method: 'DELETE' });
    const [result] = await framesOf((await gateway.exec(['touch', 'overtaken'], { headers })).bytes);
    expect(result?.header).toMatchObject({ type: 'result', end: { kind: 'aborted' } });
    expect(existsSync(join(gateway.workdir, 'overtaken'))).toBe(false);
  });

  it('lets nobody else cancel a call', async () => {
    const token = newToken();
    await gateway.attach('other', token);
    const headers = { 'x-call-id': randomUUID() };
    const running = gateway.exec(['sh', '-c', 'echo $$ >pids; sleep 0.3'], { headers });
    await treePids();
    const answer = await gateway.request(`/calls/${headers['x-call-id']}`, { method: 'DELETE', token });
    expect(answer.json()).toEqual({ isCancelled: false });
    const [result] = await framesOf((await running).bytes);
    expect(result?.header).toMatchObject({ end: EXITED });
    await gateway.request('/attachments/other', { method: 'DELETE', token });
  });

  it.each([false, true])(
    '[M20] [D07] ends the tree of one whose caller drops the connection (output sent: %s), and lives on',
    async (streams) => {
      const controller = new AbortController();
      const running = gateway.exec(['sh', '-c', TREE], { streams, signal: controller.signal });
      const pids = await treePids();
      controller.abort(new Error('the caller is gone'));
      await expect(running).rejects.toThrow('the caller is gone');
      await expectGone(pids);
      expect((await gateway.request('/health')).status).toBe(200);
    },
  );

  it('runs fifty at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const [result] = await framesOf((await gateway.exec(['sh', '-c', `sleep 0.1; echo ${index}`])).bytes);
        return Buffer.from(result?.bytes ?? []).toString();
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, (_, index) => `${index}\n`));
  });

  it('hands over the streams of one, each part of output as often as it is asked for', async () => {
    const spawned = await gateway.request('/processes', {
      json: { argv: ['sh', '-c', 'cat; echo problem >&2; exit 5'] },
    });
    const { id, pid, processGroup } = spawned.json() as { id: string; pid: number; processGroup: number };
    expect(processGroup).toBe(pid);
    const output = async (query: string): Promise<readonly [unknown, string]> => {
      const [frame] = await framesOf((await gateway.request(`/processes/${id}/output?${query}`)).bytes);
      return [frame?.header, Buffer.from(frame?.bytes ?? []).toString()];
    };
    expect(await output('stream=stdout&offset=0&waitMs=0')).toEqual([{ offset: 0, isEnd: false }, '']);
    await gateway.request(`/processes/${id}/stdin`, { method: 'PUT', body: Buffer.from('hello') });
    for (let again = 0; again < 2; again++) {
      expect(await output('stream=stdout&offset=0&waitMs=5000')).toEqual([{ offset: 0, isEnd: false }, 'hello']);
    }
    expect(await output('stream=stdout&offset=2&maxBytes=2&waitMs=0')).toEqual([{ offset: 2, isEnd: false }, 'll']);
    const forgotten = await gateway.request(`/processes/${id}/output?stream=stdout&offset=0`);
    expect([forgotten.status, forgotten.json()]).toMatchObject([400, { code: 'gateway-request-invalid' }]);
    const early = await gateway.request(`/processes/${id}/end`, { json: { waitMs: 10 } });
    expect(early.json()).toEqual({});
    const last = await gateway.request(`/processes/${id}/stdin?end=true`, { method: 'PUT', body: Buffer.from('!') });
    expect(last.json()).toEqual({ isBlocked: false });
    const end = await gateway.request(`/processes/${id}/end`, { json: { waitMs: 5_000 } });
    expect(end.json()).toEqual({ end: { kind: 'exited', exitCode: 5 } });
    // The end of a pipe may be seen a moment after its last byte.
    for (const [query, offset, rest] of [
      ['stream=stdout&offset=5', 5, '!'],
      ['stream=stderr&offset=0', 0, 'problem\n'],
    ] as const) {
      await expect.poll(() => output(query)).toEqual([{ offset, isEnd: true }, rest]);
    }
    const removed = await gateway.request(`/processes/${id}`, { method: 'DELETE' });
    expect(removed.json()).toEqual({ end: { kind: 'exited', exitCode: 5 } });
    expect((await gateway.request(`/processes/${id}/output?stream=stdout`)).status).toBe(404);
  });

  it('says when a process does not read what it is sent, and that it has closed its stdin', async () => {
    const start = async (script: string): Promise<string> =>
      ((await gateway.request('/processes', { json: { argv: ['sh', '-c', script] } })).json() as { id: string }).id;
    const deaf = await start('sleep 300');
    const blocked = await gateway.request(`/processes/${deaf}/stdin`, {
      method: 'PUT',
      body: Buffer.alloc(1024 * 1024),
    });
    expect(blocked.json()).toEqual({ isBlocked: true });
    const removed = await gateway.request(`/processes/${deaf}`, { method: 'DELETE' });
    expect(removed.json()).toEqual({ end: { kind: 'aborted' } });

    const closed = await start('exec <&-; echo closed; sleep 300');
    await gateway.request(`/processes/${closed}/output?stream=stdout&offset=0&waitMs=5000`);
    const refused = await gateway.request(`/processes/${closed}/stdin`, {
      method: 'PUT',
      body: Buffer.alloc(1024 * 1024),
    });
    expect([refused.status, refused.json()]).toMatchObject([500, { code: 'io-failed', details: { errno: 'EPIPE' } }]);
    await gateway.request(`/processes/${closed}`, { method: 'DELETE' });
  });

  it('ends the processes of an attachment with it, and leaves those of others', async () => {
    const token = newToken();
    await gateway.attach('other', token);
    const start = async (owner: string): Promise<number> => {
      const options = { token: owner, json: { argv: ['sleep', '300'] } };
      return ((await gateway.request('/processes', options)).json() as { pid: number }).pid;
    };
    const [own, others] = [await start(gateway.token), await start(token)];
    await gateway.request('/attachments/other', { method: 'DELETE', token });
    expect([own, others].map(isAlive)).toEqual([true, false]);
    await gateway.request('/processes/end-all', { json: {} });
    expect(isAlive(own)).toBe(false);
  });
});

describe.each(NODES)('the life of the gateway on $name', ({ node }) => {
  const startBackground = async (
    gateway: GatewayProcess,
  ): Promise<{ pid: number; number: number; logPath: string }> => {
    const argv = ['sh', '-c', 'echo begun; sleep 300'];
    return (await gateway.request('/background/start', { json: { argv } })).json() as never;
  };

  it('ends all that it has started on SIGTERM, and removes nothing of what it recorded', async () => {
    await using gateway = await GatewayProcess.start({ node });
    const background = await startBackground(gateway);
    const spawned = await gateway.request('/processes', { json: { argv: ['sleep', '300'] } });
    const { pid } = spawned.json() as { pid: number };
    expect(await gateway.end('SIGTERM')).toEqual([0, null]);
    expect([background.pid, pid].map(isAlive)).toEqual([false, false]);
    expect(await readFile(background.logPath.replace(/log$/, 'status'), 'utf8')).toBe('closed\n');
  });

  it('leaves background commands to the next one when it is killed, which starts where it was', async () => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'gateway-crash-')));
    const killed = await GatewayProcess.start({ node, directory });
    const background = await startBackground(killed);
    expect(await killed.end('SIGKILL')).toEqual([null, 'SIGKILL']);
    expect(isAlive(background.pid)).toBe(true);

    await using gateway = await GatewayProcess.start({ node, directory });
    const listed = (await gateway.request('/background/list', { json: {} })).json();
    expect(listed).toMatchObject({ processes: [{ number: 1, pid: background.pid }] });
    const reference = { recordDirectory: join(directory, '.workspace/processes'), number: 1 };
    const state = await gateway.request('/background/state', { json: reference });
    expect(state.json()).toEqual({ state: { kind: 'running' } });
    await gateway.request('/attachments/first', { method: 'DELETE' });
    expect(isAlive(background.pid)).toBe(false);
  });

  it('admits the token on its stdin before it is ready, if it is told to', async () => {
    await using gateway = await GatewayProcess.start({ node, args: ['--attach'] });
    expect((await gateway.request('/health')).json()).toMatchObject({ attachmentId: 'first', attachments: 1 });
  });

  it('ends, and says why, where it cannot listen', async () => {
    await using gateway = await GatewayProcess.start({ node, listen: ['--port', '0'] });
    const admin = `${gateway.adminSocket}.2`;
    const { path } = await gatewayBundle();
    const argv = [path, '--port', String(gateway.port), '--admin-socket', admin, '--workdir', gateway.workdir];
    const child = spawn(node, argv);
    const stderr = text(child.stderr);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await stderr).toContain('EADDRINUSE');
  });

  it('lives on when nobody reads its log any more', async () => {
    await using gateway = await GatewayProcess.start({ node });
    gateway.child.stdout.destroy();
    gateway.child.stderr.destroy();
    await gateway.attach('other', newToken());
    expect((await gateway.request('/health')).status).toBe(200);
  });
});
