import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { ArchiveRejectedError, SkillInvalidError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { skillText } from '../skills/fixture-skill.ts';
import { tarArchive, type TarEntry } from '../skills/tar-archive.ts';
import { TemporaryDirectory } from '../skills/temporary-directory.ts';
import { zipArchive, type ZipEntry } from '../skills/zip-archive.ts';
import {
  foldersIn,
  inSkills,
  namesOf,
  readText,
  sh,
  type SkillsContractOptions,
  type SkillsSubject,
} from './skills-subject.ts';

const SKILL_FILE = { name: 'foo/SKILL.md', content: skillText({ name: 'foo' }) };
const MEBIBYTE = 1024 * 1024;

interface Refusal {
  readonly entry: string | undefined;
  readonly isRefused: boolean;
  /** Skills, and files that were on the way. */
  readonly left: readonly string[];
}

/** Skills that come as zip, tar or tar.gz. */
export function archivesContract({ open }: SkillsContractOptions): void {
  const add = (subject: SkillsSubject, archive: Uint8Array): Promise<unknown> => subject.add({ archive });

  /** How adding an archive fails, and what it leaves behind. */
  const refusal = async (subject: SkillsSubject, archive: Uint8Array): Promise<Refusal> => {
    const error: unknown = await add(subject, archive).catch((thrown: unknown) => thrown);
    const staged = await subject.backend.stat(`${subject.layout.stateDirectory}/skills`);
    return {
      entry: ArchiveRejectedError.isInstance(error) ? error.details.entry : `not refused: ${String(error)}`,
      isRefused: ArchiveRejectedError.isInstance(error),
      left: [...(await namesOf(subject)), ...(staged === undefined ? [] : ['staging'])],
    };
  };
  const refusedFor = (entry: string | undefined): Refusal => ({ entry, isRefused: true, left: [] });
  const refused = { isRefused: true, left: [] };

  describe('archives', () => {
    const tree: readonly TarEntry[] = [
      { name: 'foo/', type: 'directory', mode: 0o755 },
      SKILL_FILE,
      { name: 'foo/scripts/run.sh', content: '#!/bin/sh\necho ran\n', mode: 0o4777 },
      { name: 'foo/assets/x.bin', content: Uint8Array.from({ length: 256 }, (_, index) => index) },
    ];
    const zipTree = tree.map(({ name, content, mode = 0o644, type }): ZipEntry => {
      return { name, content, mode: mode | (type === 'directory' ? 0o040000 : 0o100000) };
    });
    const forms: readonly (readonly [string, Uint8Array])[] = [
      ['zip', zipArchive(zipTree)],
      ['stored zip', zipArchive(zipTree.map((entry) => ({ ...entry, isStored: true })))],
      ['tar', tarArchive(tree)],
      ['tar.gz', gzipSync(tarArchive(tree))],
    ];

    it.each(forms)('archives:forms: takes a %s as bytes, as a path and as a stream', async (_form, archive) => {
      await using directory = await TemporaryDirectory.create({ 'any-name': archive });
      await using subject = await open();
      const added = await subject.add({ archive });
      expect(added).toMatchObject({ name: 'foo', description: 'Does foo.', directory: inSkills(subject, 'foo') });
      expect(await sh(subject, 'skills/foo/scripts/run.sh')).toBe('ran\n');
      expect(await subject.backend.stat(inSkills(subject, 'foo/scripts/run.sh'))).toMatchObject({ mode: 0o755 });
      const { bytes } = await subject.backend.readFile(inSkills(subject, 'foo/assets/x.bin'));
      expect([...bytes]).toEqual(Array.from({ length: 256 }, (_, index) => index));
      expect(await subject.add({ archive: directory.at('any-name') })).toEqual(added);
      expect(await subject.add({ archive: inPieces(archive, 100) })).toEqual(added);
      expect(await namesOf(subject)).toEqual(['foo']);
    });

    it('archives:unwrapped: finds the skill at the top, and in whatever folders it is wrapped', async () => {
      await using directory = await TemporaryDirectory.create();
      await using subject = await open();
      const top = zipArchive([
        { name: 'SKILL.md', content: '---\ndescription: d\n---\n' },
        { name: 'a/SKILL.md', content: 'an example' },
      ]);
      await writeFile(directory.at('my-notes.zip'), top);
      expect(await subject.add({ archive: directory.at('my-notes.zip') })).toMatchObject({ name: 'my-notes' });
      expect(await foldersIn(subject, 'my-notes')).toEqual(['SKILL.md', 'a']);
      const wrapped = tarArchive([
        { name: 'README.md', content: 'not of the skill' },
        { name: './repo-main/skills/foo/SKILL.md', content: SKILL_FILE.content },
      ]);
      await add(subject, wrapped);
      expect(await foldersIn(subject, 'foo')).toEqual(['SKILL.md']);
    });

    it('archives:several: says which skills an archive of several holds, and takes none', async () => {
      await using subject = await open();
      const several = tarArchive(
        ['a', 'b'].map((name) => ({ name: `${name}/SKILL.md`, content: skillText({ name }) })),
      );
      await expect(add(subject, several)).rejects.toThrow(/holds 2 skills \(a, b\)/);
      await expect(add(subject, several)).rejects.toThrow(SkillInvalidError);
      await expect(add(subject, tarArchive([{ name: 'a.txt', content: 'x' }]))).rejects.toThrow(/no SKILL.md/);
      await expect(add(subject, zipArchive([]))).rejects.toThrow(/no SKILL.md/);
      expect(await namesOf(subject)).toEqual([]);
    });

    it.each<readonly [string, string, readonly TarEntry[]]>([
      ['a link to an absolute path', 'foo/a', [{ name: 'foo/a', type: 'symlink', target: '/tmp/out' }]],
      ['a link up and out', 'foo/a', [{ name: 'foo/a', type: 'symlink', target: '../../x' }]],
      [
        'a file below a link',
        'foo/a/x',
        [
          { name: 'foo/a', type: 'symlink', target: 'b' },
          { name: 'foo/a/x', content: 'x' },
        ],
      ],
      [
        'links that lead out together',
        'foo/out',
        [
          { name: 'foo/b/c/up', type: 'symlink', target: '../../..' },
          { name: 'foo/out', type: 'symlink', target: 'b/c/up/../x' },
        ],
      ],
      ['a hard link out', 'foo/a', [{ name: 'foo/a', type: 'hardlink', target: '/etc/passwd' }]],
      ['a hard link up and out', 'foo/a', [{ name: 'foo/a', type: 'hardlink', target: '../x' }]],
      ['a hard link to nothing', 'foo/a', [{ name: 'foo/a', type: 'hardlink', target: 'foo/b' }]],
      ['a name up and out', '../x', [{ name: '../x', content: 'x' }]],
      ['a name up within', 'foo/../../x', [{ name: 'foo/../../x', content: 'x' }]],
      ['an absolute name', '/tmp/x', [{ name: '/tmp/x', content: 'x' }]],
      ['a device', 'foo/null', [{ name: 'foo/null', type: 'character-device' }]],
      ['a FIFO', 'foo/pipe', [{ name: 'foo/pipe', type: 'fifo' }]],
    ])('archives:no-way-out: refuses a tar with %s, naming the entry [X16]', async (_case, entry, entries) => {
      await using subject = await open();
      expect(await refusal(subject, tarArchive([SKILL_FILE, ...entries]))).toEqual(refusedFor(entry));
      expect(await refusal(subject, gzipSync(tarArchive([...entries, SKILL_FILE])))).toEqual(refusedFor(entry));
      expect(await sh(subject, 'ls -A .')).not.toContain('x');
    });

    it.each<readonly [string, string, ZipEntry]>([
      ['a name up and out', '../x', { name: '../x', content: 'x' }],
      ['a backslash up and out', '../x', { name: '..\\x', content: 'x' }],
      ['an absolute name', '/tmp/x', { name: '/tmp/x', content: 'x' }],
      ['a drive', 'C:/x', { name: 'C:\\x', content: 'x' }],
      ['a link out', 'foo/a', { name: 'foo/a', content: '/tmp/out', mode: 0o120777 }],
      ['a device', 'foo/null', { name: 'foo/null', mode: 0o020666 }],
      ['a control character', 'foo/a\nb', { name: 'foo/a\nb', content: 'x' }],
    ])('archives:no-way-out-zip: refuses a zip with %s, naming the entry [X16]', async (_case, name, entry) => {
      await using subject = await open();
      expect(await refusal(subject, zipArchive([SKILL_FILE, entry]))).toEqual(refusedFor(name));
    });

    it('archives:links-inside: takes links that stay inside, hard ones as copies [X17]', async () => {
      await using subject = await open();
      const tar = tarArchive([
        SKILL_FILE,
        { name: 'foo/lib/x', content: 'echo inside\n', mode: 0o755 },
        { name: 'foo/bin/x', type: 'symlink', target: '../lib/x' },
        { name: 'foo/hard', type: 'hardlink', target: 'foo/lib/x', mode: 0o755 },
        { name: 'foo/dangling', type: 'symlink', target: 'nothing' },
      ]);
      await add(subject, tar);
      expect(await sh(subject, 'cd skills/foo; readlink bin/x; sh bin/x; sh hard')).toBe(
        '../lib/x\necho inside\n'.replace('echo inside', 'inside').concat('inside\n'),
      );
      expect(await foldersIn(subject, 'foo')).toEqual(['SKILL.md', 'bin', 'hard', 'lib']);
      expect(subject.diagnostics()).toMatchObject([
        { path: 'the archive/foo/dangling', reason: expect.stringContaining('leads to nothing in it') },
      ]);
      const zip = zipArchive([
        { ...SKILL_FILE, content: skillText({ name: 'zipped' }) },
        { name: 'foo/lib/x', content: 'x' },
        { name: 'foo/bin/x', content: '../lib/x', mode: 0o120777 },
      ]);
      await add(subject, zip);
      expect(await sh(subject, 'readlink skills/zipped/bin/x')).toBe('../lib/x\n');
    });

    it.each<readonly [string, readonly TarEntry[]]>([
      ['twice', [{ name: 'foo/a' }, { name: 'foo/a' }]],
      ['in two cases', [{ name: 'foo/a' }, { name: 'foo/A' }]],
      ['in folders of two cases', [{ name: 'foo/d/a' }, { name: 'foo/D/b' }]],
      ['in two Unicode forms', [{ name: 'foo/\u00FC' }, { name: 'foo/u\u0308' }]],
      ['as a file and a folder', [{ name: 'foo/a' }, { name: 'foo/a/b' }]],
    ])('archives:unique-names: refuses one name %s', async (_case, entries) => {
      await using subject = await open();
      expect(await refusal(subject, tarArchive([SKILL_FILE, ...entries]))).toEqual(refusedFor(entries[1]?.name));
      const zip = zipArchive([SKILL_FILE, ...entries.map(({ name }) => ({ name }))]);
      expect(await refusal(subject, zip)).toEqual(refusedFor(entries[1]?.name));
    });

    it('archives:damaged: refuses an archive that is cut off anywhere, or changed in one byte', async () => {
      await using subject = await open();
      for (const [form, archive] of forms) {
        // Of a tar's end, what is cut off the trailing zeros is no loss.
        const whole = form === 'tar' ? archive.length - 512 : archive.length;
        for (let part = 0; part < 16; part += 1) {
          expect(await refusal(subject, archive.subarray(0, Math.floor((whole * part) / 16)))).toMatchObject(refused);
        }
      }
      for (const [, archive] of forms.filter(([form]) => form !== 'tar')) {
        const damaged = Uint8Array.from(archive);
        const position = Math.floor(damaged.length / 4);
        damaged[position] = (damaged[position] ?? 0) ^ 0xff;
        expect(await refusal(subject, damaged)).toMatchObject(refused);
      }
      expect(await refusal(subject, randomBytes(5_000))).toMatchObject(refused);
      expect(await refusal(subject, Buffer.from('#!/bin/sh\n'))).toMatchObject(refused);
    });

    it('archives:failed-stream: says that the stream failed', async () => {
      await using subject = await open();
      const archive = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.error(new Error('connection reset'));
        },
      });
      await expect(subject.add({ archive })).rejects.toThrow(/its stream failed \(connection reset\)/);
      await expect(subject.add({ archive: '/nowhere/at/all.zip' })).rejects.toMatchObject({ code: 'file-not-found' });
    });

    it.each<readonly [string, ZipEntry]>([
      ['a size that is too small', { name: 'foo/a', content: 'abc', claim: { sizeBytes: 2 } }],
      ['a size that is too large', { name: 'foo/a', content: 'abc', claim: { sizeBytes: 4_000_000_000 } }],
      ['a stored size that is wrong', { name: 'foo/a', content: 'abc', isStored: true, claim: { sizeBytes: 30 } }],
      ['a wrong checksum', { name: 'foo/a', content: 'abc', claim: { checksum: 7 } }],
      ['encryption', { name: 'foo/a', content: 'abc', claim: { flags: 1 } }],
      ['an unknown compression', { name: 'foo/a', content: 'abc', claim: { method: 14 } }],
    ])('archives:lying-header: refuses a zip with %s', async (_case, entry) => {
      await using subject = await open();
      expect(await refusal(subject, zipArchive([SKILL_FILE, entry]))).toMatchObject(refused);
    });

    it('archives:bomb: refuses what expands to 200 times its size, soon and in little memory', async () => {
      await using subject = await open();
      const zeros = new Uint8Array(64 * MEBIBYTE);
      const bombs = [
        gzipSync(tarArchive([SKILL_FILE, { name: 'foo/a', content: zeros }])),
        zipArchive([SKILL_FILE, { name: 'foo/a', content: zeros }]),
        zipArchive([SKILL_FILE, { name: 'foo/a', content: zeros, claim: { sizeBytes: 3 } }]),
        gzipSync(tarArchive([{ name: 'foo/a', content: zeros }, SKILL_FILE])),
      ];
      const rssBefore = process.memoryUsage().rss;
      const startedAt = performance.now();
      for (const bomb of bombs) expect(await refusal(subject, bomb)).toMatchObject(refused);
      expect(performance.now() - startedAt).toBeLessThan(60_000);
      expect(process.memoryUsage().rss - rssBefore).toBeLessThan(200 * MEBIBYTE);
    });

    it('archives:caps: refuses more than 10,000 entries and more than 32 folders deep', async () => {
      await using subject = await open();
      const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `foo/${index}` }));
      expect(await refusal(subject, gzipSync(tarArchive([SKILL_FILE, ...many])))).toMatchObject(refused);
      expect(await refusal(subject, zipArchive([SKILL_FILE, ...many]))).toMatchObject(refused);
      const deep = `foo/${'d/'.repeat(33)}x`;
      expect(await refusal(subject, tarArchive([SKILL_FILE, { name: deep, content: 'x' }]))).toEqual(refusedFor(deep));
    });

    it('archives:lying-tar: refuses a tar whose header says more than there is', async () => {
      await using subject = await open();
      const lying = tarArchive([SKILL_FILE, { name: 'foo/a', content: 'x', claimedSizeBytes: 2 ** 32 }]);
      expect(await refusal(subject, lying)).toMatchObject(refused);
    });

    it('archives:nothing-left: leaves no temporary file on the host', async () => {
      await using subject = await open();
      await using temporary = await TemporaryDirectory.create();
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = temporary.path;
      try {
        await add(subject, tarArchive(tree));
        await expect(add(subject, tarArchive([{ name: '../x' }]))).rejects.toThrow(ArchiveRejectedError);
        expect(await temporary.names()).toEqual([]);
      } finally {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      }
      expect(await readText(subject, inSkills(subject, 'foo/SKILL.md'))).toBe(SKILL_FILE.content);
    });
  });
}

/** A stream of pieces of a size. */
function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
      if (offset >= bytes.length) controller.close();
    },
  });
}
