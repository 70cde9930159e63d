import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess } from './support/envd-process.ts';
import { answerOf, filesClient } from './support/files-client.ts';
import { NODES } from './support/nodes.ts';

describe.each(NODES)('POST /files/compose on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const { inHome } = filesClient(() => envd);

  const compose = (body: object): Promise<Response> =>
    fetch(`${envd.url}/files/compose`, { method: 'POST', body: JSON.stringify(body) });

  it('makes one file of several, and removes them', async () => {
    await writeFile(inHome('1'), 'one ');
    await writeFile(inHome('2'), '');
    await writeFile(inHome('3'), 'three');
    const answer = await compose({ source_paths: ['1', '2', '~/3'], destination: 'to/all', username: 'root' });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answerOf(answer)).toEqual([200, { name: 'all', path: inHome('to', 'all'), type: 'file' }]);
    expect(await readFile(inHome('to', 'all'), 'utf8')).toBe('one three');
    expect([await readdir(envd.home), await readdir(inHome('to'))]).toEqual([['to'], ['all']]);
  });

  it.each([
    [{ source_paths: [], destination: 'x' }, 400, 'source_paths must not be empty'],
    [{ source_paths: ['1'] }, 400, 'destination is required'],
    [{ source_paths: ['1'], destination: '1' }, 400, 'source path "1" cannot be the same as destination'],
    [{ source_paths: ['1', 'none'], destination: 'x' }, 404, 'source file not found: none'],
    [{ source_paths: ['1', 'dir'], destination: 'x' }, 400, 'source path is not a regular file: dir'],
    [
      { source_paths: ['1'], destination: 'x', username: 'nobody-at-all' },
      401,
      "error looking up user 'nobody-at-all'",
    ],
    [{ source_paths: 'x' }, 400, 'invalid request body'],
  ])('refuses %j with %d, and leaves everything as it is', async (body, code, message) => {
    await writeFile(inHome('1'), 'x');
    await mkdir(inHome('dir'));
    const answer = await compose(body);
    expect(await answerOf(answer)).toEqual([code, { code, message: expect.stringContaining(message) }]);
    expect(await readdir(envd.home)).toEqual(['1', 'dir']);
  });

  it('leaves a directory at the destination alone', async () => {
    await writeFile(inHome('1'), 'x');
    await mkdir(inHome('dir'));
    expect((await compose({ source_paths: ['1'], destination: 'dir' })).status).toBe(500);
    expect(await readdir(envd.home)).toEqual(['1', 'dir']);
  });
});
