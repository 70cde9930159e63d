import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { SdkCase } from './sdk-case.ts';

const EXPIRED = [401, { code: 401, message: 'signature is already expired' }];

const ownPath = (name: string): string => `s-${randomBytes(6).toString('hex')}/${name}`;

async function upload(url: string, content = 'uploaded'): Promise<Response> {
  const body = new FormData();
  body.append('file', content);
  return await fetch(url, { method: 'POST', body });
}

async function answerOf(response: Response): Promise<unknown> {
  return [response.status, await response.json()];
}

/** What a browser does with the URLs that the SDK signs. */
export const cases: readonly SdkCase[] = [
  ...[{}, { useSignatureExpiration: 10_000 }].map((options): SdkCase => ({
    name: `uploadUrl, downloadUrl: are good for one file, with ${JSON.stringify(options)}`,
    async run({ sandbox }) {
      const path = ownPath('ü f.txt');
      const written = await answerOf(await upload(await sandbox.uploadUrl(path, options)));
      const info = await sandbox.files.getInfo(path);
      assert.deepEqual(written, [200, [{ name: 'ü f.txt', path: info.path, type: 'file' }]]);
      const read = await fetch(await sandbox.downloadUrl(path, options));
      assert.deepEqual([read.status, await read.text()], [200, 'uploaded']);
    },
  })),
  {
    name: 'uploadUrl, downloadUrl: act as the user that is signed for',
    async run({ sandbox }) {
      const options = { user: 'root', useSignatureExpiration: 10_000 } as const;
      const written = await answerOf(await upload(await sandbox.uploadUrl('signed.txt', options)));
      const info = await sandbox.files.getInfo('signed.txt', { user: 'root' });
      assert.deepEqual(written, [200, [{ name: 'signed.txt', path: info.path, type: 'file' }]]);
      assert.equal(info.owner, (await sandbox.commands.run('id -un', { user: 'root' })).stdout.trim());
      const read = await fetch(await sandbox.downloadUrl('signed.txt', options));
      assert.equal(await read.text(), 'uploaded');
    },
  },
  {
    name: 'uploadUrl, downloadUrl: end',
    async run({ sandbox }) {
      const path = ownPath('f');
      await sandbox.files.write(path, 'x');
      const options = { useSignatureExpiration: -10_000 };
      assert.deepEqual(await answerOf(await fetch(await sandbox.downloadUrl(path, options))), EXPIRED);
      assert.deepEqual(await answerOf(await upload(await sandbox.uploadUrl(path, options))), EXPIRED);
      assert.equal(await sandbox.files.read(path), 'x');
    },
  },
  {
    name: 'downloadUrl: is good for its own path and for reading only',
    async run({ sandbox }) {
      const path = ownPath('f');
      await sandbox.files.write(path, 'x');
      const url = await sandbox.downloadUrl(path);
      const elsewhere = new URL(url);
      elsewhere.searchParams.set('path', '/etc/passwd');
      assert.equal((await fetch(elsewhere)).status, 401);
      assert.equal((await upload(url)).status, 401);
    },
  },
  {
    name: 'downloadUrl: serves what a browser needs',
    async run({ sandbox }) {
      const path = ownPath('my page.html');
      await sandbox.files.write(path, '<p>Hello, world!</p>');
      const url = await sandbox.downloadUrl(path);
      const whole = await fetch(url);
      assert.deepEqual(
        [whole.headers.get('content-type'), whole.headers.get('content-disposition')],
        ['text/html; charset=utf-8', 'inline; filename="my page.html"'],
      );
      const part = await fetch(url, { headers: { range: 'bytes=3-7' } });
      assert.deepEqual(
        [part.status, part.headers.get('content-range'), await part.text()],
        [206, 'bytes 3-7/20', 'Hello'],
      );
    },
  },
];
