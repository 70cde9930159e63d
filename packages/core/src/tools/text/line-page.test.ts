import { describe, expect, it } from 'vitest';
import { type LinePage, type LinePageOptions, numberedLine, readLinePage } from './line-page.ts';

/** Gives the text in chunks of one size, and counts how many were taken. */
class Source {
  taken = 0;
  readonly #bytes: Buffer;
  readonly #size: number;

  constructor(text: string | Buffer, size: number) {
    this.#bytes = Buffer.from(text as string);
    this.#size = size;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    // One buffer for all chunks, as a file reader may do it.
    const chunk = Buffer.alloc(this.#size);
    for (let at = 0; at < this.#bytes.length; at += this.#size) {
      this.taken += 1;
      const length = this.#bytes.copy(chunk, 0, at, at + this.#size);
      yield chunk.subarray(0, length);
    }
  }
}

const defaults = { path: '/f', first: 1, maxLines: 100, maxBytes: 10_000, maxLineLength: 20 };

function page(text: string | Buffer, options: Partial<LinePageOptions> = {}, chunkSize = 3): Promise<LinePage> {
  return readLinePage(new Source(text, chunkSize), { ...defaults, ...options });
}

const texts = ({ lines }: LinePage): readonly string[] => lines.map(({ text }) => text);

describe('readLinePage', () => {
  it('splits lines whatever the chunks', async () => {
    for (const size of [1, 2, 3, 7, 100]) {
      const result = await page('é\r\n\n日本\nlast', {}, size);
      expect(texts(result)).toEqual(['é', '', '日本', 'last']);
      expect(result).toMatchObject({ next: undefined, total: 4 });
    }
  });

  it('counts a last line feed as the end of a line, not as one more line', async () => {
    expect((await page('a\nb\n')).total).toBe(2);
    expect((await page('a\nb\n\n')).total).toBe(3);
    expect((await page('')).total).toBe(0);
  });

  it('stops reading as soon as it knows that there is more', async () => {
    const source = new Source('a\nb\nc\n'.repeat(1_000), 2);
    const result = await readLinePage(source, { ...defaults, first: 2, maxLines: 2 });
    expect(texts(result)).toEqual(['b', 'c']);
    expect(result).toMatchObject({ next: 4, total: undefined });
    expect(source.taken).toBe(4);
  });

  it('has no next line where the page ends with the file', async () => {
    expect(await page('a\nb\n', { maxLines: 2 })).toMatchObject({ next: undefined, total: 2 });
    expect(await page('a\nb', { maxLines: 2 })).toMatchObject({ next: undefined, total: 2 });
  });

  it('ends a page before the line that is too much, and always shows one', async () => {
    const result = await page('12345678\n12345678\n12345678', { maxBytes: 32 });
    expect(texts(result)).toHaveLength(2);
    expect(result).toMatchObject({ next: 3, total: undefined });
    expect(await page('12345678\n1', { maxBytes: 1 })).toMatchObject({ lines: [{ number: 1 }], next: 2 });
    expect(await page('1\n12345678', { maxBytes: 12 })).toMatchObject({ lines: [{ number: 1 }], next: 2 });
  });

  it('cuts long lines between code points and says where the rest is', async () => {
    const result = await page(`x\n${'a'.repeat(19)}😀${'b'.repeat(500)}\r\nend`);
    expect(result.lines[1]).toEqual({ number: 2, text: 'a'.repeat(19), rest: { offset: 21, length: 505 } });
    expect(result.lines[2]).toEqual({ number: 3, text: 'end' });
  });

  it('cuts at the limit and not before', async () => {
    expect((await page(`${'日'.repeat(20)}\r\n`)).lines[0]).toEqual({ number: 1, text: '日'.repeat(20) });
    const over = (await page(`${'日'.repeat(21)}\n`)).lines[0];
    expect(over).toEqual({ number: 1, text: '日'.repeat(20), rest: { offset: 60, length: 3 } });
  });

  it('takes a byte order mark into account, and does not show it', async () => {
    const [line] = (await page(`\u{FEFF}${'a'.repeat(30)}`)).lines;
    expect(line).toEqual({ number: 1, text: 'a'.repeat(20), rest: { offset: 23, length: 10 } });
  });

  it('stops reading in a line that shows a NUL, however long it goes on', async () => {
    const source = new Source(`one\n${'\0'.repeat(10_000)}`, 16);
    expect(texts(await readLinePage(source, defaults))).toEqual(['one', '\0'.repeat(20)]);
    // As many bytes as tell what is shown.
    expect(source.taken).toBe(5);
  });

  it.each([
    { case: 'past what is shown', text: `a\n${'b'.repeat(500)}\0${'b'.repeat(500)}\nc`, options: {} },
    { case: 'before the page', text: `\0${'b'.repeat(500)}\na\nb`, options: { first: 2 } },
    { case: 'past the page', text: `a\n\0${'b'.repeat(500)}`, options: { maxBytes: 12 } },
  ])('reads on where the NUL is $case', async ({ text, options }) => {
    const result = await page(text, options);
    expect(texts(result).join('')).not.toContain('\0');
    expect(result.next ?? result.total).toBe(options.maxBytes === undefined ? 3 : 2);
  });

  it('keeps a carriage return that is no part of a line end', async () => {
    expect(texts(await page('a\rb\r'))).toEqual(['a\rb\r']);
  });

  it('refuses a shown line that is not UTF-8, by its place in the file', async () => {
    const bytes = Buffer.concat([Buffer.from('ab\n'), Buffer.of(0x63, 0xff, 0x0a), Buffer.from('d\n')]);
    await expect(page(bytes)).rejects.toThrow('byte 0xFF at offset 4');
    expect(texts(await page(bytes, { first: 3 }))).toEqual(['d']);
  });
});

describe('numberedLine', () => {
  it('puts the number into six columns', () => {
    expect(numberedLine(7, 'x')).toBe('     7\tx');
    expect(numberedLine(1_234_567, 'x')).toBe('1234567\tx');
  });
});
