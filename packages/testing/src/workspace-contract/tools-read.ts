import { describe, expect, it } from 'vitest';
import { at, call, fail, nextCallOf, put, sh, succeed, textOf, type ToolsContractOptions } from './tools-subject.ts';

const WEBP = [0x52, 0x49, 0x46, 0x46, 0x1a, 0, 0, 0, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x4c];
const GBK = [0xc4, 0xe3, 0xba, 0xc3, 0x0a, 0x61, 0x0a];

/** Read: text by lines and by bytes, media by content. */
export function toolsReadContract(options: ToolsContractOptions): void {
  describe('tools: Read', () => {
    it('tools:read-lines: numbers lines, with an absolute or a relative path', async () => {
      await using subject = await options.open();
      await put(subject, 'dir/a.txt', 'one\n\n\tthree\nlast');
      const expected = '     1\tone\n     2\t\n     3\t\tthree\n     4\tlast';
      expect(await succeed(subject, 'Read', { file_path: 'dir/a.txt' })).toBe(expected);
      expect(await succeed(subject, 'Read', { file_path: at(subject, 'dir/a.txt') })).toBe(expected);
    });

    it('tools:read-window: shows the lines asked for, and the exact call for more', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(''));
      const first = await call(subject, { tool: 'Read', input: { file_path: 'a.txt', offset: 4, limit: '3' } });
      expect(textOf(first)).toContain('     4\tline 4\n     5\tline 5\n     6\tline 6\n');
      const next = nextCallOf(first);
      expect(next).toEqual({ file_path: at(subject, 'a.txt'), offset: 7, limit: 3 });
      const second = await call(subject, { tool: 'Read', input: next });
      expect(nextCallOf(second)).toMatchObject({ offset: 10 });
      const last = await call(subject, { tool: 'Read', input: nextCallOf(second) });
      expect(textOf(last)).toBe('    10\tline 10');
      expect(last.metadata).not.toHaveProperty('next_call');
    });

    it('tools:read-pages: shows 2,000 lines a call, and each line once over all calls', async () => {
      await using subject = await options.open();
      await sh(subject, 'seq 1 4500 > numbers.txt');
      const seen: number[] = [];
      let input: Readonly<Record<string, unknown>> | undefined = { file_path: 'numbers.txt' };
      let calls = 0;
      while (input !== undefined) {
        const result = await call(subject, { tool: 'Read', input });
        for (const line of textOf(result).matchAll(/^ *(\d+)\t(\d+)$/gm)) {
          expect(line[1]).toBe(line[2]);
          seen.push(Number(line[1]));
        }
        input = 'next_call' in result.metadata ? nextCallOf(result) : undefined;
        calls += 1;
      }
      expect(calls).toBe(3);
      expect(seen).toEqual(Array.from({ length: 4_500 }, (_, index) => index + 1));
    });

    it('tools:read-byte-bound: keeps a page under 256 KiB', async () => {
      await using subject = await options.open();
      await put(subject, 'wide.txt', `${'é'.repeat(900)}\n`.repeat(400));
      const result = await call(subject, { tool: 'Read', input: { file_path: 'wide.txt' } });
      expect(Buffer.byteLength(textOf(result))).toBeLessThan(257 * 1024);
      const next = nextCallOf(result);
      const shown = textOf(result).match(/^ *\d+\té+$/gm)?.length;
      expect(next['offset']).toBe((shown ?? 0) + 1);
    });

    it('tools:read-past-end: says how many lines there are, without a reversed range [T21]', async () => {
      await using subject = await options.open();
      await put(subject, 'three.txt', 'a\nb\nc\n');
      const text = await fail(subject, 'Read', { file_path: 'three.txt', offset: 10, limit: 11 });
      expect(text).toContain('3 lines');
      expect(text.replace(at(subject, 'three.txt'), '')).not.toMatch(/\d+\s*(-|to)\s*\d+/);
    });

    it('tools:read-empty: says that an empty file is empty [T22]', async () => {
      await using subject = await options.open();
      await put(subject, 'e.txt', '');
      expect(await succeed(subject, 'Read', { file_path: 'e.txt' })).toContain('is empty');
    });

    it('tools:read-encoding: refuses what is not UTF-8 and says where [T07]', async () => {
      await using subject = await options.open();
      await put(subject, 'gbk.txt', GBK);
      const text = await fail(subject, 'Read', { file_path: 'gbk.txt' });
      expect(text).toContain('not valid UTF-8');
      expect(text).toContain('0xC4 at offset 0');
      expect(text).not.toContain('\u{FFFD}');
      await put(subject, 'utf16.txt', [0xff, 0xfe, 0x61, 0, 0x0a, 0]);
      expect(await fail(subject, 'Read', { file_path: 'utf16.txt' })).toContain('UTF-16LE');
    });

    it('tools:read-replacement: shows U+FFFD that is really in a file', async () => {
      await using subject = await options.open();
      await put(subject, 'a.txt', 'a\u{FFFD}b\n');
      expect(await succeed(subject, 'Read', { file_path: 'a.txt' })).toBe('     1\ta\u{FFFD}b');
    });

    it('tools:read-mark: does not show a byte order mark or carriage returns of line ends [T09]', async () => {
      await using subject = await options.open();
      await put(subject, 'a.csv', '\u{FEFF}a;b\r\nc\r\n');
      expect(await succeed(subject, 'Read', { file_path: 'a.csv' })).toBe('     1\ta;b\n     2\tc');
    });

    it('tools:read-long-line: cuts a long line with a mark and a way to the rest [T43]', async () => {
      await using subject = await options.open();
      const long = `${'😀'.repeat(1_000)}é${'x'.repeat(50_000)}END`;
      await put(subject, 'min.js', `short\n${long}\nafter\n`);
      const result = await call(subject, { tool: 'Read', input: { file_path: 'min.js' } });
      const [, second, third] = textOf(result).split('\n');
      expect(second).toMatch(/^ {5}2\t(😀){1000} \[… this line has 50005 more bytes: Read\(.*\)\]$/u);
      expect(third).toBe('     3\tafter');
      const rest = /byte_offset=(\d+), byte_limit=(\d+)/.exec(second ?? '');
      const input = { file_path: 'min.js', byte_offset: rest?.[1], byte_limit: rest?.[2] };
      const text = await succeed(subject, 'Read', input);
      expect(text.split('\n')[0]).toBe(`é${'x'.repeat(50_000)}END`);
    });

    it('tools:read-bytes: pages by bytes between whole characters', async () => {
      await using subject = await options.open();
      const content = 'aé😀日本\n'.repeat(20);
      await put(subject, 'a.txt', content);
      let joined = '';
      let input: Readonly<Record<string, unknown>> | undefined = { file_path: 'a.txt', byte_offset: 0, byte_limit: 5 };
      while (input !== undefined) {
        const result = await call(subject, { tool: 'Read', input });
        expect(result.state).toBe('success');
        joined += textOf(result).slice(0, textOf(result).lastIndexOf('\n\n['));
        input = 'next_call' in result.metadata ? nextCallOf(result) : undefined;
      }
      expect(joined).toBe(content);
      expect(await fail(subject, 'Read', { file_path: 'a.txt', byte_offset: 9_999 })).toContain('280 bytes');
      expect(await fail(subject, 'Read', { file_path: 'a.txt', byte_offset: 1, offset: 1 })).toContain('not both');
    });

    it('tools:read-media: goes by content, not by name [T27]', async () => {
      await using subject = await options.open();
      await put(subject, 'y.png', WEBP);
      await put(subject, 'z.svg', '<svg/>');
      const image = await call(subject, { tool: 'Read', input: { file_path: 'y.png' } });
      expect(image.state).toBe('success');
      const data = Buffer.from(WEBP).toString('base64');
      expect(image.content.find(({ type }) => type === 'data')).toMatchObject({
        name: 'y.png',
        source: { type: 'base64', media_type: 'image/webp', data },
      });
      expect(await succeed(subject, 'Read', { file_path: 'z.svg' })).toBe('     1\t<svg/>');
    });

    it('tools:read-workspace-url: takes a workspace:/// URL as a path', async () => {
      await using subject = await options.open();
      await put(subject, 'data/x.webp', WEBP);
      const result = await call(subject, { tool: 'Read', input: { file_path: 'workspace:///data/x.webp' } });
      expect(result.content.at(-1)).toMatchObject({ type: 'data', name: 'x.webp' });
    });

    it('tools:read-media-bounds: says what to do with media that it may not show', async () => {
      await using subject = await options.open();
      await put(subject, 'a.mp4', [0, 0, 0, 0x20, ...Buffer.from('ftypisom'), 0, 0, 2, 0]);
      expect(await fail(subject, 'Read', { file_path: 'a.mp4' })).toMatch(/video\/mp4.*cannot be shown.*Bash/s);
      await sh(subject, `printf '\\211PNG\\r\\n\\032\\n' > big.png; head -c 6000000 /dev/zero >> big.png`);
      expect(await fail(subject, 'Read', { file_path: 'big.png' })).toMatch(
        /image\/png of 6000008 bytes.*smaller copy/s,
      );
    });

    it('tools:read-binary: says that a binary file is one', async () => {
      await using subject = await options.open();
      await put(subject, 'a.out', [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0xff]);
      expect(await fail(subject, 'Read', { file_path: 'a.out' })).toContain('is binary, not text (10 bytes)');
      await put(subject, 'nul.txt', 'a\0b\n');
      expect(await fail(subject, 'Read', { file_path: 'nul.txt' })).toContain('is binary');
    });

    it('tools:read-not-files: tells directories, FIFOs and nothing apart', async () => {
      await using subject = await options.open();
      await sh(subject, 'mkdir dir; mkfifo pipe');
      expect(await fail(subject, 'Read', { file_path: 'dir' })).toMatch(/is a directory.*Glob\(pattern="\*", path=/s);
      expect(await fail(subject, 'Read', { file_path: 'pipe' })).toContain('not a regular file');
      expect(await fail(subject, 'Read', { file_path: 'nope.txt' })).toContain('nothing at');
      expect(await fail(subject, 'Read', { file_path: 'a\0b' })).toContain('NUL');
      expect(await fail(subject, 'Read', { file_path: '' })).toContain('file_path');
    });

    it('tools:read-huge: reads a window of a huge file in bounded memory [D13]', { timeout: 120_000 }, async () => {
      await using subject = await options.open();
      await sh(subject, `yes 0123456789abcdef0123456789abcde | head -c 1073741824 > huge.txt`);
      const before = process.memoryUsage().rss;
      const head = await succeed(subject, 'Read', { file_path: 'huge.txt', limit: 2 });
      expect(head.split('\n').slice(0, 2)).toEqual(
        [1, 2].map((line) => `     ${line}\t0123456789abcdef0123456789abcde`),
      );
      const last = await succeed(subject, 'Read', { file_path: 'huge.txt', offset: 33_554_432 });
      expect(last).toBe('33554432\t0123456789abcdef0123456789abcde');
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
      const abort = new AbortController();
      const input = { file_path: 'huge.txt', offset: 33_554_432 };
      const reading = call(subject, { tool: 'Read', input, signal: abort.signal });
      abort.abort();
      expect((await reading).state).toBe('interrupted');
    });
  });
}
