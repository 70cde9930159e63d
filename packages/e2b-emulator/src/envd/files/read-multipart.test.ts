import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readMultipart } from './read-multipart.ts';

const request = { headers: { 'content-type': 'multipart/form-data; boundary=x' } } as IncomingMessage;
const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';

describe('readMultipart', () => {
  it('reads the form to its end when a file is given up before all of it has come', async () => {
    let hasEnded = false;
    async function* form(): AsyncGenerator<Buffer> {
      yield Buffer.from(head);
      await nextTurn();
      yield Buffer.from('content');
      await nextTurn();
      yield Buffer.from('x'.repeat(1_000_000));
      yield Buffer.from('\r\n--x--\r\n');
      hasEnded = true;
    }
    const reading = readMultipart(request, Readable.from(form()), async ({ body }) => {
      body.destroy();
      throw new Error('no space');
    });
    await expect(reading).rejects.toThrow('no space');
    expect(hasEnded).toBe(true);
  });
});
