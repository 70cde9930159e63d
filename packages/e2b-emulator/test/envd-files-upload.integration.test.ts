import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, readlink, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess } from './support/envd-process.ts';
import { answerOf, filesClient, formOf, OCTETS } from './support/files-client.ts';
import { NODES } from './support/nodes.ts';

describe.each(NODES)('POST /files on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const { inHome, get, post } = filesClient(() => envd);

  it('writes the files of a form to the paths in their names, and makes the directories above', async () => {
    const answer = await post(
      {},
      { body: formOf(['a/b ü/one.txt', '1'], [inHome('two "quoted".txt'), '2'], ['~/3', '']) },
    );
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const quoted = 'two %22quoted%22.txt';
    expect(await answerOf(answer)).toEqual([
      200,
      [
        { name: 'one.txt', path: inHome('a', 'b ü', 'one.txt'), type: 'file' },
        { name: quoted, path: inHome(quoted), type: 'file' },
        { name: '3', path: inHome('3'), type: 'file' },
      ],
    ]);
    expect(await readFile(inHome('a', 'b ü', 'one.txt'), 'utf8')).toBe('1');
    expect((await stat(inHome('a'))).mode & 0o777).toBe(0o755);
    expect((await stat(inHome('3'))).mode & 0o777).toBe(0o644);
  });

  it('takes the path of the query before that of the part, also where the part has none', async () => {
    expect(await answerOf(await post({ path: 'x' }, { body: formOf(['other', '1']) }))).toEqual([
      200,
      [{ name: 'x', path: inHome('x'), type: 'file' }],
    ]);
    await post({ path: 'y' }, { body: formOf([undefined, 'text field']) });
    expect(await readFile(inHome('y'), 'utf8')).toBe('text field');
  });

  it('writes only the first of two files for one path', async () => {
    const answer = await post({ path: 'x' }, { body: formOf(['a', '1'], ['b', '2']) });
    const message = expect.stringContaining(`multiple files to the same path '${inHome('x')}' in one upload request`);
    expect(await answerOf(answer)).toEqual([400, { code: 400, message }]);
    expect(await readFile(inHome('x'), 'utf8')).toBe('1');
  });

  it('passes over parts of other names', async () => {
    const form = formOf(['x', '1']);
    form.append('comment', 'not a file');
    form.append('other', new Blob(['2']), 'y');
    await post({}, { body: form });
    expect(await readdir(envd.home)).toEqual(['x']);
  });

  it('writes one file as it is, over a longer one, whose mode stays', async () => {
    await writeFile(inHome('f'), 'something long');
    await chmod(inHome('f'), 0o600);
    const answer = await post({ path: 'f' }, { body: 'short', headers: OCTETS });
    expect(await answerOf(answer)).toEqual([200, [{ name: 'f', path: inHome('f'), type: 'file' }]]);
    expect(await readFile(inHome('f'), 'utf8')).toBe('short');
    expect((await stat(inHome('f'))).mode & 0o777).toBe(0o600);
  });

  it('writes through a link', async () => {
    await symlink('target', inHome('link'));
    await post({ path: 'link' }, { body: 'x', headers: OCTETS });
    expect(await readFile(inHome('target'), 'utf8')).toBe('x');
  });

  it('unpacks what comes compressed, as it is or as a form', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    await post({ path: 'raw' }, { body: gzipSync('raw content'), headers: { ...OCTETS, ...gzip } });
    expect(await readFile(inHome('raw'), 'utf8')).toBe('raw content');
    const form = new Response(formOf(['form', 'form content']));
    const headers = { 'content-type': form.headers.get('content-type') ?? '', ...gzip };
    await post({}, { body: gzipSync(await form.bytes()), headers });
    expect(await readFile(inHome('form'), 'utf8')).toBe('form content');
  });

  it.each([
    [
      'a broken gzip',
      { body: 'not gzip', headers: { ...OCTETS, 'content-encoding': 'gzip' } },
      400,
      'error decompressing request body: incorrect header check',
    ],
    [
      'another encoding',
      { body: 'x', headers: { ...OCTETS, 'content-encoding': 'br' } },
      400,
      'unsupported Content-Encoding: br',
    ],
    [
      'another type',
      { body: '{}', headers: { 'content-type': 'application/json' } },
      400,
      'unsupported content type: application/json',
    ],
    [
      'a form without boundary',
      { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
      500,
      'error parsing multipart form',
    ],
    [
      'half a form',
      {
        body: '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nx',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      },
      500,
      '',
    ],
  ])('refuses %s', async (_what, init, code, message) => {
    expect(await answerOf(await post({ path: 'x' }, init))).toEqual([
      code,
      { code, message: expect.stringContaining(message) },
    ]);
  });

  it.each([
    [{}, 400, 'path query parameter is required for raw body upload'],
    [{ path: '~' }, 400, 'path is a directory: HOME'],
    [{ path: 'file/x' }, 500, 'error ensuring directories: path is a file: HOME/file'],
    [
      { path: 'x', username: 'nobody-at-all' },
      401,
      "error looking up user 'nobody-at-all': user: unknown user nobody-at-all",
    ],
    [{ path: '/dev/full' }, 507, 'attempted to write 100000 bytes: not enough disk space available'],
  ])('refuses %j with %d', async (query, code, message) => {
    await writeFile(inHome('file'), '');
    const answer = await post(query, { body: 'x'.repeat(100_000), headers: OCTETS });
    expect(await answerOf(answer)).toEqual([code, { code, message: message.replace('HOME', envd.home) }]);
  });

  it('names no file of a form that has no name and no path', async () => {
    const message = 'error getting multipart custom part file name: filename not found in Content-Disposition header';
    const answer = await post({}, { body: formOf([undefined, 'x']) });
    expect(await answerOf(answer)).toEqual([400, { code: 400, message }]);
  });

  it('answers when the disk is full while there is more to come', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const body = ReadableStream.from(Array.from({ length: 30 }, () => chunk));
    const init = { body, duplex: 'half', headers: OCTETS };
    const message = 'not enough disk space available';
    expect(await answerOf(await post({ path: '/dev/full' }, init as RequestInit))).toEqual([
      507,
      { code: 507, message },
    ]);
  });

  it('ends an upload whose client goes away', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const chunks = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.alloc(100_000, 'x');
      await promise;
    };
    const init = { body: ReadableStream.from(chunks()), duplex: 'half', headers: OCTETS, signal: controller.signal };
    const posting = post({ path: 'half' }, init as RequestInit);
    await expect
      .poll(() =>
        stat(inHome('half')).then(
          ({ size }) => size,
          () => 0,
        ),
      )
      .toBe(100_000);
    controller.abort();
    resolve();
    await expect(posting).rejects.toThrow('abort');
    const openFiles = async (): Promise<string[]> => {
      const directory = `/proc/${envd.child.pid}/fd`;
      return await Promise.all(
        (await readdir(directory)).map((name) => readlink(join(directory, name)).catch(() => '')),
      );
    };
    await expect.poll(openFiles).not.toContain(inHome('half'));
  });

  it('answers a failed upload that is large, and goes on to serve', async () => {
    const body = formOf(['~', 'x'.repeat(3_000_000)], ['after', 'y']);
    expect(await answerOf(await post({}, { body }))).toEqual([
      400,
      { code: 400, message: `path is a directory: ${envd.home}` },
    ]);
    expect(await readdir(envd.home)).toEqual([]);
  });

  describe('metadata', () => {
    const entryOf = async (path: string): Promise<unknown> => {
      const { body } = await envd.unary('filesystem.Filesystem/Stat', { path });
      return (body as { readonly entry: { readonly metadata?: unknown } }).entry.metadata;
    };

    it('is kept with every file of an upload, replaced as a whole, and moves along', async () => {
      const headers = { 'X-Metadata-Author': 'mish', 'x-metadata-purpose': 'up load' };
      const metadata = { author: 'mish', purpose: 'up load' };
      const answer = await post({}, { body: formOf(['a', '1'], ['b', '2']), headers });
      expect(await answer.json()).toMatchObject([{ metadata }, { metadata }]);
      expect(await entryOf('b')).toEqual(metadata);
      await envd.unary('filesystem.Filesystem/Move', { source: 'a', destination: 'c' });
      expect(await entryOf('c')).toEqual(metadata);
      await post({ path: 'b' }, { body: '3', headers: { ...OCTETS, 'x-metadata-other': '' } });
      expect(await entryOf('b')).toEqual({ other: '' });
      const cleared = await post({ path: 'b' }, { body: '4', headers: OCTETS });
      expect(await cleared.json()).toEqual([{ name: 'b', path: inHome('b'), type: 'file' }]);
      expect(await entryOf('b')).toBeUndefined();
    });

    it('is an extended attribute under user.e2b, for other programs to read and write', async () => {
      await post({ path: 'f' }, { body: 'x', headers: { ...OCTETS, 'x-metadata-author': 'mish' } });
      const script = `
import os, sys
path = sys.argv[1]
assert os.getxattr(path, 'user.e2b.author') == b'mish'
os.setxattr(path, 'user.e2b.reviewer', b'ann')
os.setxattr(path, 'user.other', b'kept')
`;
      execFileSync('python3', ['-c', script, inHome('f')]);
      expect(await entryOf('f')).toEqual({ author: 'mish', reviewer: 'ann' });
      await post({ path: 'f' }, { body: 'y', headers: OCTETS });
      const names = execFileSync('python3', ['-c', 'import os,sys; print(os.listxattr(sys.argv[1]))', inHome('f')]);
      expect(names.toString().trim()).toBe("['user.other']");
    });

    it.each([
      ['not ASCII', { 'x-metadata-a': 'é' }, 'printable ASCII'],
      ['too long a key', { [`x-metadata-${'k'.repeat(247)}`]: 'v' }, 'must have 1 to 246 bytes'],
      ['too much', { 'x-metadata-a': 'v'.repeat(4096) }, 'must not exceed 4096 bytes'],
    ])('is refused when it is %s', async (_what, headers, message) => {
      const answer = await post({ path: 'f' }, { body: 'x', headers: { ...OCTETS, ...headers } });
      expect(await answerOf(answer)).toEqual([400, { code: 400, message: expect.stringContaining(message) }]);
      expect(await readdir(envd.home)).toEqual([]);
    });
  });

  it('streams: the memory of envd does not grow with the file', async () => {
    const sizeBytes = 200 * 1024 * 1024;
    await writeFile(inHome('large'), '');
    await truncate(inHome('large'), sizeBytes);
    let received = 0;
    for await (const chunk of (await get({ path: 'large' })).body ?? []) received += chunk.length;
    expect(received).toBe(sizeBytes);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const chunks = function* (): Generator<Buffer> {
      for (let sent = 0; sent < sizeBytes; sent += chunk.length) yield chunk;
    };
    const body = ReadableStream.from(chunks());
    const init = { body, duplex: 'half', headers: OCTETS };
    expect((await post({ path: 'up' }, init as RequestInit)).status).toBe(200);
    expect((await stat(inHome('up'))).size).toBe(sizeBytes);
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${envd.child.pid}/status`, 'utf8'))?.[1]);
    expect(peak / 1024).toBeLessThan(250);
  });
});
