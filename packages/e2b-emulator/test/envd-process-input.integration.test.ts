import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  base64,
  bash,
  encodeFrame,
  endOf,
  EnvdProcess,
  framesIn,
  openStream,
  outputOf,
} from './support/envd-process.ts';
import { NODES } from './support/nodes.ts';

const START = 'process.Process/Start';

describe.each(NODES)('input of the processes of envd ($name)', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());

  const call = (method: string, request: object) => envd.unary(`process.Process/${method}`, request);

  describe('input', () => {
    it('is nothing unless it is asked for', async () => {
      const stream = await openStream(envd, START, bash('cat; exec sleep 60'));
      const answer = await call('SendInput', { process: { pid: stream.pid }, input: { stdin: base64('x') } });
      expect([answer.status, answer.body]).toEqual([
        500,
        { code: 'internal', message: 'error writing to stdin: stdin not enabled or closed' },
      ]);
      expect((await call('CloseStdin', { process: { pid: stream.pid } })).status).toBe(200);
      await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_SIGKILL' });
      await stream.rest();
    });

    it('is open if nothing is said, and reaches its end when it is closed, once or twice', async () => {
      const stream = await openStream(envd, START, { process: { cmd: 'cat' }, tag: 'cat' });
      await call('SendInput', { process: { tag: 'cat' }, input: { stdin: base64('hello ') } });
      await call('SendInput', { process: { tag: 'cat' }, input: { stdin: '' } });
      await call('SendInput', { process: { tag: 'cat' }, input: { stdin: base64('wörld') } });
      expect(await call('CloseStdin', { process: { tag: 'cat' } })).toMatchObject({ status: 200, body: {} });
      await call('CloseStdin', { process: { tag: 'cat' } });
      const frames = await stream.rest();
      expect(outputOf(frames, 'stdout')).toBe('hello wörld');
      expect(endOf(frames)).toEqual({ exited: true, status: 'exit status 0' });
    });

    it('after its end is refused', async () => {
      const stream = await openStream(envd, START, bash('exec sleep 60', { stdin: true }));
      await call('CloseStdin', { process: { pid: stream.pid } });
      const answer = await call('SendInput', { process: { pid: stream.pid }, input: { stdin: base64('x') } });
      expect([answer.status, answer.body]).toEqual([
        500,
        { code: 'internal', message: 'error writing to stdin: stdin not enabled or closed' },
      ]);
      await call('SendSignal', { process: { pid: stream.pid }, signal: 'SIGNAL_SIGKILL' });
      await stream.rest();
    });

    it('may be without content, which is unimplemented, or for a terminal that there is not', async () => {
      const stream = await openStream(envd, START, { process: { cmd: 'cat' } });
      const process = { pid: stream.pid };
      expect(await call('SendInput', { process, input: {} })).toMatchObject({
        status: 501,
        body: { code: 'unimplemented' },
      });
      expect(await call('SendInput', { process, input: { pty: '' } })).toMatchObject({
        status: 500,
        body: { code: 'internal' },
      });
      expect(await call('Update', { process, pty: { size: { cols: 1, rows: 1 } } })).toMatchObject({ status: 500 });
      await call('CloseStdin', { process });
      await stream.rest();
    });
  });

  describe('terminal', () => {
    const pty = { size: { cols: 81, rows: 25 } };
    const terminal = (script: string): object => ({
      process: { cmd: '/bin/bash', args: ['-c', script], envs: { TERM: 'xterm-256color' } },
      pty,
    });

    it('has the size and the type that were asked for', async () => {
      const { frames } = await envd.stream(START, terminal('test -t 0 && stty size; echo $TERM; tput cols; exit 4'));
      expect(outputOf(frames, 'pty')).toBe('25 81\r\nxterm-256color\r\n81\r\n');
      expect(endOf(frames)).toEqual({ exitCode: 4, exited: true, status: 'exit status 4', error: 'exit status 4' });
    });

    it('takes input and another size, and shows what is typed', async () => {
      const stream = await openStream(envd, START, terminal('read -r line; stty size; echo got $line'));
      const process = { pid: stream.pid };
      expect(await call('Update', { process, pty: { size: { cols: 132, rows: 50 } } })).toMatchObject({ status: 200 });
      await call('SendInput', { process, input: { pty: base64('abc\n') } });
      const frames = await stream.rest();
      expect(outputOf(frames, 'pty')).toBe('abc\r\n50 132\r\ngot abc\r\n');
    });

    it('refuses what is for a pipe', async () => {
      const stream = await openStream(envd, START, terminal('exec sleep 60'));
      const process = { pid: stream.pid };
      expect(await call('SendInput', { process, input: { stdin: base64('x') } })).toMatchObject({ status: 500 });
      expect(await call('CloseStdin', { process })).toMatchObject({ status: 500, body: { code: 'unknown' } });
      await call('SendSignal', { process, signal: 'SIGNAL_SIGKILL' });
      expect(endOf(await stream.rest())).toEqual({ exitCode: -1, status: 'signal: killed', error: 'signal: killed' });
    });

    it('ends with its shell, whatever is left in the background', async () => {
      const { frames } = await envd.stream(START, terminal('setsid sleep 49 & echo $!; exit 0'));
      expect(endOf(frames)).toEqual({ exited: true, status: 'exit status 0' });
      process.kill(Number.parseInt(outputOf(frames, 'pty'), 10), 'SIGKILL');
    });
  });

  it('takes input from a client stream', async () => {
    const stream = await openStream(envd, START, { process: { cmd: 'cat' }, tag: 'streamed' });
    const messages = [
      { start: { process: { tag: 'streamed' } } },
      { keepalive: {} },
      { data: { input: { stdin: base64('by stream') } } },
    ];
    const answer = await fetch(`${envd.url}/process.Process/StreamInput`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
      body: Buffer.concat(messages.map(encodeFrame)),
    });
    const frames = await Array.fromAsync(framesIn(answer.body ?? new ReadableStream()));
    expect(frames).toEqual([
      { flags: 0, message: {} },
      { flags: 2, message: {} },
    ]);
    await call('CloseStdin', { process: { tag: 'streamed' } });
    expect(outputOf(await stream.rest(), 'stdout')).toBe('by stream');
  });
});
