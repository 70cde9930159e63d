import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { outputOf, ownDirectory } from './files-support.ts';
import type { SdkCase } from './sdk-case.ts';

/** What the SDK does with `files`, apart from writing, watching and signing. */
export const cases: readonly SdkCase[] = [
  ...[{}, { gzip: true }].map((options): SdkCase => ({
    name: `read: gives every format, with ${JSON.stringify(options)}`,
    async run({ sandbox: { files } }) {
      const path = `t-${randomBytes(6).toString('hex')}/f`;
      const text = 'Hällo 🚀\n'.repeat(5000);
      await files.write(path, text);
      assert.equal(await files.read(path, options), text);
      assert.equal(await files.read(path, { format: 'text', ...options }), text);
      const bytes = await files.read(path, { format: 'bytes', ...options });
      assert.ok(bytes instanceof Uint8Array);
      assert.equal(Buffer.from(bytes).toString(), text);
      assert.equal(await (await files.read(path, { format: 'blob', ...options })).text(), text);
      assert.equal(await new Response(await files.read(path, { format: 'stream', ...options })).text(), text);
    },
  })),
  {
    name: 'read: gives every format of an empty file',
    async run({ sandbox }) {
      const path = `${await ownDirectory(sandbox)}/empty`;
      await sandbox.commands.run(`touch ${path}`);
      assert.equal(await sandbox.files.read(path), '');
      assert.deepEqual(await sandbox.files.read(path, { format: 'bytes' }), new Uint8Array(0));
      assert.equal((await sandbox.files.read(path, { format: 'blob' })).size, 0);
      assert.equal(await new Response(await sandbox.files.read(path, { format: 'stream' })).text(), '');
    },
  },
  {
    name: 'read: reads what a command has written, whatever its mode',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.commands.run(`printf secret > ${directory}/f && chmod 600 ${directory}/f`);
      assert.equal(await sandbox.files.read(`${directory}/f`), 'secret');
      await sandbox.commands.run('printf home > in-home');
      assert.equal(await sandbox.files.read('~/in-home'), 'home');
      assert.equal(await sandbox.files.read(`${directory}/f`, { user: 'root' }), 'secret');
    },
  },
  {
    name: 'read: fails by class',
    async run({ sdk, sandbox: { files } }) {
      await assert.rejects(files.read('none'), sdk.FileNotFoundError);
      await assert.rejects(files.read('none', { format: 'stream' }), sdk.NotFoundError);
      await assert.rejects(files.read('/tmp'), sdk.InvalidArgumentError);
      await assert.rejects(files.read('x', { user: 'nobody-at-all' }), sdk.AuthenticationError);
    },
  },
  {
    name: 'list: goes down to a depth, each directory before what is in it, by name',
    async run({ sdk, sandbox }) {
      const directory = await ownDirectory(sandbox);
      for (const sub of ['b/x', 'b/y', 'c']) await sandbox.files.makeDir(`${directory}/${sub}`);
      await sandbox.files.write(`${directory}/a.txt`, 'Hello');
      const listed = async (depth?: number): Promise<string[]> => {
        const entries = await sandbox.files.list(directory, depth === undefined ? undefined : { depth });
        return entries.map(({ path, type }) => `${path.slice(`${directory}/`.length)} ${type}`);
      };
      assert.deepEqual(await listed(), ['a.txt file', 'b dir', 'c dir']);
      assert.deepEqual(await listed(1), ['a.txt file', 'b dir', 'c dir']);
      assert.deepEqual(await listed(3), ['a.txt file', 'b dir', 'b/x dir', 'b/y dir', 'c dir']);
      await assert.rejects(listed(0), sdk.InvalidArgumentError);
    },
  },
  {
    name: 'list: leaves out a link that leads nowhere, and follows others',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.commands.run('ln -s nowhere dangling; ln -s /tmp there', { cwd: directory });
      const listed = await sandbox.files.list(directory);
      assert.deepEqual(
        listed.map(({ name, type, symlinkTarget }) => [name, type, symlinkTarget]),
        [['there', 'dir', '/tmp']],
      );
    },
  },
  {
    name: 'getInfo: tells all of a file',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const [owner, group] = (await outputOf(sandbox, 'echo $(id -un) $(id -gn)')).split(' ');
      const beforeMs = Date.now();
      await sandbox.files.write(`${directory}/f`, 'four');
      const { modifiedTime, ...info } = await sandbox.files.getInfo(`${directory}/f`);
      assert.deepEqual(JSON.parse(JSON.stringify(info)), {
        name: 'f',
        type: 'file',
        path: `${directory}/f`,
        size: 4,
        mode: 0o644,
        permissions: '-rw-r--r--',
        owner,
        group,
      });
      assert.ok(Math.abs((modifiedTime?.getTime() ?? 0) - beforeMs) < 10_000);
    },
  },
  {
    name: 'getInfo: tells of a directory and of a link',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.files.write(`${directory}/f`, 'four');
      await sandbox.commands.run(`ln -s f ${directory}/link`);
      const info = await sandbox.files.getInfo(directory);
      assert.deepEqual([info.path, info.type, info.mode, info.permissions], [directory, 'dir', 0o755, 'drwxr-xr-x']);
      assert.ok(info.size > 0);
      const link = await sandbox.files.getInfo(`${directory}/link`);
      assert.deepEqual(
        [link.name, link.type, link.mode, link.permissions, link.symlinkTarget],
        ['link', 'file', 0o644, 'Lrwxrwxrwx', `${directory}/f`],
      );
    },
  },
  {
    name: 'exists, getInfo, list: know what is not there, and fail by class',
    async run({ sdk, sandbox: { files } }) {
      assert.equal(await files.exists('/etc/passwd'), true);
      assert.equal(await files.exists('none'), false);
      await assert.rejects(files.getInfo('none'), sdk.FileNotFoundError);
      await assert.rejects(files.list('none'), sdk.FileNotFoundError);
      await assert.rejects(files.list('/etc/passwd'), sdk.InvalidArgumentError);
      await assert.rejects(files.exists('x', { user: 'nobody-at-all' }), sdk.AuthenticationError);
    },
  },
  {
    name: 'makeDir: makes a directory once',
    async run({ sdk, sandbox }) {
      const directory = await ownDirectory(sandbox);
      assert.equal(await sandbox.files.makeDir(`${directory}/a/b`), true);
      assert.equal(await sandbox.files.makeDir(`${directory}/a/b`), false);
      await sandbox.files.write(`${directory}/f`, '');
      await assert.rejects(sandbox.files.makeDir(`${directory}/f`), sdk.InvalidArgumentError);
    },
  },
  {
    name: 'rename: moves a tree, and makes what is above the new place',
    async run({ sdk, sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.files.write(`${directory}/old/f`, 'content');
      const info = await sandbox.files.rename(`${directory}/old`, `${directory}/far/new`);
      assert.deepEqual([info.name, info.type, info.path], ['new', 'dir', `${directory}/far/new`]);
      assert.equal(await sandbox.files.read(`${directory}/far/new/f`), 'content');
      assert.equal(await sandbox.files.exists(`${directory}/old`), false);
      await assert.rejects(sandbox.files.rename(`${directory}/none`, 'x'), sdk.FileNotFoundError);
    },
  },
  {
    name: 'remove: takes a tree, and says nothing where there is nothing',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.files.write(`${directory}/a/b/c`, '');
      await sandbox.files.remove(directory);
      assert.equal(await sandbox.files.exists(directory), false);
      await sandbox.files.remove(directory);
    },
  },
  {
    name: 'metadata: stays with the file until it is overwritten',
    async run({ sandbox: { files } }) {
      const directory = `t-${randomBytes(6).toString('hex')}`;
      const metadata = { author: 'mish', purpose: 'up load' };
      for (const options of [{}, { useOctetStream: true }]) {
        const info = await files.write(`${directory}/f`, 'x', { metadata, ...options });
        assert.deepEqual({ ...info.metadata }, metadata);
        assert.deepEqual({ ...(await files.getInfo(`${directory}/f`)).metadata }, metadata);
      }
      assert.deepEqual(
        (await files.list(directory)).map((entry) => ({ ...entry.metadata })),
        [metadata],
      );
      assert.deepEqual({ ...(await files.rename(`${directory}/f`, `${directory}/g`)).metadata }, metadata);
      await files.write(`${directory}/g`, 'y');
      assert.equal((await files.getInfo(`${directory}/g`)).metadata, undefined);
    },
  },
  {
    name: 'large files: 200 MB go through as streams, in both directions',
    async run({ sandbox }) {
      const sizeBytes = 200 * 1024 * 1024;
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const chunks = function* (): Generator<Buffer> {
        for (let sent = 0; sent < sizeBytes; sent += chunk.length) yield chunk;
      };
      await sandbox.files.write('large', ReadableStream.from(chunks()) as ReadableStream);
      assert.equal((await sandbox.files.getInfo('large')).size, sizeBytes);
      let received = 0;
      const stream = await sandbox.files.read('large', { format: 'stream' });
      for await (const part of stream as unknown as AsyncIterable<Uint8Array>) received += part.length;
      assert.equal(received, sizeBytes);
      await sandbox.files.remove('large');
    },
  },
];
