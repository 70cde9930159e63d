import { execFileSync } from 'node:child_process';
import { utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess } from './support/envd-process.ts';
import { answerOf, filesClient } from './support/files-client.ts';
import { NODES } from './support/nodes.ts';

describe.each(NODES)('GET /files on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const { inHome, urlOf, get } = filesClient(() => envd);

  it('sends the file with what a browser needs to know', async () => {
    await writeFile(inHome('my file.txt'), 'hello');
    await utimes(inHome('my file.txt'), 1_767_323_045, 1_767_323_045.9);
    const answer = await get({ path: 'my file.txt' });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-disposition': 'inline; filename="my file.txt"',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
      'accept-ranges': 'bytes',
      vary: 'Accept-Encoding',
    });
    expect(await answer.text()).toBe('hello');
  });

  it('says that an empty file has 0 bytes', async () => {
    await writeFile(inHome('empty'), '');
    const answer = await get({ path: 'empty' });
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '0', '']);
    const ranged = await get({ path: 'empty' }, { range: 'bytes=0-' });
    expect([ranged.status, await ranged.text()]).toEqual([200, '']);
  });

  it('tells the type of a file without extension by its content', async () => {
    await writeFile(inHome('binary'), Buffer.from([0, 1, 2, 255]));
    const answer = await get({ path: 'binary' });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  it.each([
    ['bytes=7-11', 206, 'world', 'bytes 7-11/13'],
    ['bytes=7-', 206, 'world!', 'bytes 7-12/13'],
    ['bytes=-6', 206, 'world!', 'bytes 7-12/13'],
    ['bytes=0-4', 206, 'Hello', 'bytes 0-4/13'],
    ['bytes=40-', 416, 'invalid range: failed to overlap\n', 'bytes */13'],
  ])('answers range %s with %d', async (range, status, content, contentRange) => {
    await writeFile(inHome('f'), 'Hello, world!');
    const answer = await get({ path: 'f' }, { range, 'accept-encoding': 'gzip' });
    expect([answer.status, answer.headers.get('content-range'), answer.headers.get('content-encoding')]).toEqual([
      status,
      contentRange,
      null,
    ]);
    expect(await answer.text()).toBe(content);
  });

  it('answers 304 to who has it already', async () => {
    await writeFile(inHome('f.txt'), 'x');
    const since = (await get({ path: 'f.txt' })).headers.get('last-modified') ?? '';
    const answer = await get({ path: 'f.txt' }, { 'if-modified-since': since });
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([304, '', null]);
  });

  it('compresses for who accepts it', async () => {
    await writeFile(inHome('f.txt'), 'again '.repeat(1000));
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const options = { headers: { 'accept-encoding': 'gzip' } };
      const sent = request(urlOf({ path: 'f.txt' }), options, (answer) => {
        expect(answer.headers).toMatchObject({
          'content-encoding': 'gzip',
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': 'inline; filename=f.txt',
        });
        Array.fromAsync(answer as AsyncIterable<Buffer>).then((chunks) => resolve(Buffer.concat(chunks)), reject);
      });
      sent.once('error', reject).end();
    });
    expect(bytes.length).toBeLessThan(1000);
    expect(gunzipSync(bytes).toString()).toBe('again '.repeat(1000));
  });

  it.each([
    ['none', {}, 404, "path 'HOME/none' does not exist"],
    ['', {}, 400, "path 'HOME' is a directory"],
    ['pipe', {}, 400, "path 'HOME/pipe' is not a regular file"],
    ['~root/x', {}, 400, "failed to expand path '~root/x' for user"],
    ['file', { 'accept-encoding': 'br, *;q=0' }, 406, 'no acceptable encoding found, supported: [identity gzip]'],
  ])('refuses "%s" %j with %d', async (path, headers, code, message) => {
    await writeFile(inHome('file'), 'x');
    execFileSync('mkfifo', [inHome('pipe')]);
    expect(await answerOf(await get({ path }, headers))).toEqual([
      code,
      { code, message: expect.stringContaining(message.replace('HOME', envd.home)) },
    ]);
  });

  it('refuses a user that is not there with 401', async () => {
    const message = "error looking up user 'nobody-at-all': user: unknown user nobody-at-all";
    expect(await answerOf(await get({ path: 'x', username: 'nobody-at-all' }))).toEqual([401, { code: 401, message }]);
  });
});
