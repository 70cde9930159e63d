import assert from 'node:assert/strict';
import { outputOf, ownDirectory } from './files-support.ts';
import type { SdkCase } from './sdk-case.ts';

const BYTES = new Uint8Array([0, 255, 1, 254, 10, 13]);
const UPLOADS = [
  ['a string', 'tëxt 🚀\n', Buffer.from('tëxt 🚀\n')],
  ['an empty string', '', Buffer.alloc(0)],
  ['an ArrayBuffer', BYTES.buffer, Buffer.from(BYTES)],
  ['a Blob', new Blob([BYTES]), Buffer.from(BYTES)],
  ['an empty Blob', new Blob([]), Buffer.alloc(0)],
] as const;

/** What the SDK does with `files.write` and `files.writeFiles`. */
export const cases: readonly SdkCase[] = [
  {
    name: 'write: tells of the file, which is the user’s, with all that is above it',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const info = await sandbox.files.write(`${directory}/below/f.txt`, 'content');
      assert.deepEqual([info.name, info.type, info.path], ['f.txt', 'file', `${directory}/below/f.txt`]);
      const modes = await outputOf(sandbox, `stat -c '%U:%G %a' ${directory}/below ${directory}/below/f.txt`);
      const owner = await outputOf(sandbox, 'echo "$(id -un):$(id -gn)"');
      assert.equal(modes, `${owner} 755\n${owner} 644`);
    },
  },
  ...UPLOADS.map(([what, data, expected]): SdkCase => ({
    name: `write: takes ${what} as a form, as it is and compressed`,
    async run({ sandbox }) {
      const path = `${await ownDirectory(sandbox)}/f`;
      for (const options of [{}, { useOctetStream: true }, { gzip: true }]) {
        await sandbox.files.write(path, data, options);
        const read = await sandbox.files.read(path, { format: 'bytes' });
        assert.deepEqual(Buffer.from(read), expected);
      }
    },
  })),
  {
    name: 'write: takes a stream',
    async run({ sandbox }) {
      const path = `${await ownDirectory(sandbox)}/f`;
      const chunks = Array.from({ length: 50 }, (_, index) => Buffer.from(`chunk ${index}\n`));
      await sandbox.files.write(path, ReadableStream.from(chunks) as ReadableStream);
      assert.equal(await sandbox.files.read(path), Buffer.concat(chunks).toString());
    },
  },
  {
    name: 'write: overwrites a longer file, and writes as the user that is asked for',
    async run({ sandbox }) {
      const path = `${await ownDirectory(sandbox)}/f`;
      await sandbox.files.write(path, 'something long');
      await sandbox.files.write(path, 'short');
      assert.equal(await sandbox.files.read(path), 'short');
      const { path: rootPath } = await sandbox.files.write('by-root.txt', 'x', { user: 'root' });
      assert.equal(rootPath, await outputOf(sandbox, 'echo ~/by-root.txt', 'root'));
      const { owner } = await sandbox.files.getInfo(rootPath, { user: 'root' });
      assert.equal(owner, await outputOf(sandbox, 'id -un', 'root'));
    },
  },
  ...[{}, { useOctetStream: true }, { gzip: true }].map((options): SdkCase => ({
    name: `write: several files at once, with ${JSON.stringify(options)}`,
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const files = Array.from({ length: 10 }, (_, index) => ({
        path: `${directory}/${index}/f ${index}.txt`,
        data: `content ${index}`,
      }));
      const infos = await sandbox.files.write(files, options);
      assert.deepEqual(
        infos.map(({ path }) => path),
        files.map(({ path }) => path),
      );
      for (const { path, data } of files) assert.equal(await sandbox.files.read(path), data);
      const one = await sandbox.files.writeFiles([{ path: `${directory}/one`, data: '1' }], options);
      assert.deepEqual(
        one.map(({ name }) => name),
        ['one'],
      );
      assert.deepEqual(await sandbox.files.writeFiles([]), []);
    },
  })),
  {
    name: 'write: many at once into a directory that is still to be made',
    async run({ sandbox }) {
      const directory = `${await ownDirectory(sandbox)}/a/b/c`;
      const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
      await Promise.all(names.map((name) => sandbox.files.write(`${directory}/${name}`, name)));
      assert.equal(await outputOf(sandbox, `cat ${directory}/f* | wc -c`), String(names.join('').length));
      assert.deepEqual((await sandbox.files.list(directory)).map(({ name }) => name).toSorted(), names.toSorted());
    },
  },
  {
    name: 'write: keeps names as they are',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const names = [
        'with space',
        'ünïcödé 文档.txt',
        "quote's",
        'percent%20',
        '#hash&amp',
        '-dash',
        'plus+',
        '.hidden',
      ];
      for (const name of names) await sandbox.files.write(`${directory}/${name}`, name);
      for (const name of names) assert.equal(await sandbox.files.read(`${directory}/${name}`), name);
      const listed = await sandbox.files.list(directory);
      assert.deepEqual(listed.map(({ name }) => name).toSorted(), names.toSorted());
    },
  },
  {
    name: 'write: fails by class',
    async run({ sdk, sandbox: { files } }) {
      await assert.rejects(files.write('~', 'x'), sdk.InvalidArgumentError);
      await assert.rejects(files.write('x', 'x', { user: 'nobody-at-all' }), sdk.AuthenticationError);
      await assert.rejects(files.write('/dev/full', 'x'.repeat(1000)), sdk.NotEnoughSpaceError);
      await assert.rejects(files.write('/etc/passwd/below', 'x'), sdk.SandboxError);
    },
  },
];
