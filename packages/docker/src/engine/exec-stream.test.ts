import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExecStream } from './exec-stream.ts';

const [STDOUT, STDERR] = [1, 2];

function frame(stream: number, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload);
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('ExecStream', () => {
  const server = createServer({ allowHalfOpen: true });
  let stream: ExecStream;
  let engine: Socket;

  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const address = server.address() as { readonly port: number };
    const raw = connect({ host: '127.0.0.1', port: address.port });
    [engine] = await accepted;
    stream = new ExecStream('exec-1', raw);
  });

  afterEach(() => {
    stream.destroy();
    engine.destroy();
    server.close();
  });

  it('takes the headers off, however the frames are cut [D01]', async () => {
    const bytes = Buffer.concat([
      frame(STDOUT, 'hi\n'),
      frame(STDERR, 'oh'),
      frame(STDOUT, ''),
      frame(STDOUT, 'there\n'),
    ]);
    const sending = (async () => {
      for (const byte of bytes) {
        engine.write(Buffer.of(byte));
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
      engine.end();
    })();
    expect(await text(stream)).toBe('hi\nthere\n');
    expect(stream.stderr).toBe('oh');
    await sending;
  });

  it('keeps the end of stderr', async () => {
    engine.end(Buffer.concat([frame(STDERR, 'a'.repeat(40_000)), frame(STDERR, 'the end')]));
    expect(await text(stream)).toBe('');
    expect(stream.stderr).toHaveLength(16 * 1024);
    expect(stream.stderr.endsWith('aathe end')).toBe(true);
  });

  it('lets the engine wait for a reader that is slow', async () => {
    let sent = 0;
    const payload = Buffer.alloc(64 * 1024);
    const total = 64 * 1024 * 1024;
    const sendMore = (): void => {
      while (sent < total) {
        sent += payload.length;
        if (!engine.write(frame(STDOUT, payload))) {
          engine.once('drain', sendMore);
          return;
        }
      }
      engine.end();
    };
    sendMore();
    await once(stream, 'readable');
    // The kernel's buffers fill up, and then it stands still.
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = sent === before;
          before = sent;
          return isStill;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(total);
    let received = 0;
    for await (const chunk of stream) received += (chunk as Buffer).length;
    expect(received).toBe(total);
  });

  it('fails where the stream ends within a frame, or is none', async () => {
    engine.end(frame(STDOUT, 'whole').subarray(0, 10));
    await expect(text(stream)).rejects.toThrow('ended within a frame');
  });

  it('fails where what comes is no frame', async () => {
    engine.end('HTTP/1.1 500 Internal Server Error\r\n');
    await expect(text(stream)).rejects.toThrow('is no frame of a stream');
  });

  it('passes what is written on, and its end [D04]', async () => {
    const heard = text(engine);
    stream.write('some ');
    stream.end('input');
    expect(await heard).toBe('some input');
    engine.end(frame(STDOUT, 'and output after it'));
    expect(await text(stream)).toBe('and output after it');
  });

  it('fails what is being read when the connection breaks', async () => {
    const reading = text(stream);
    engine.write(frame(STDOUT, 'begun'));
    engine.resetAndDestroy();
    await expect(reading).rejects.toThrow(/ECONNRESET|broke/);
  });
});
