import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMetadata } from '../envd/filesystem/metadata.ts';
import { runAttributesCommand } from './file-attributes.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'attributes-'));
  path = join(directory, 'f');
  await writeFile(path, '');
});
afterEach(() => rm(directory, { recursive: true }));

it('sets, shows and removes attributes', () => {
  runAttributesCommand('setfattr', ['-n', 'user.e2b.author', '-v', 'mish', path]);
  runAttributesCommand('setfattr', ['--name=user.other', '--value', '0x6869', path]);
  expect(readMetadata(path)).toEqual({ author: 'mish' });
  expect(runAttributesCommand('getfattr', ['-n', 'user.e2b.author', '--only-values', path])).toBe('mish');
  expect(runAttributesCommand('getfattr', ['--absolute-names', '-d', path])).toBe(
    `# file: ${path}\nuser.e2b.author="mish"\nuser.other="hi"\n\n`,
  );
  runAttributesCommand('setfattr', ['-x', 'user.e2b.author', path]);
  expect(runAttributesCommand('getfattr', [path])).toBe(`# file: ${path.slice(1)}\nuser.other\n\n`);
});

it('says what is wrong', () => {
  expect(() => runAttributesCommand('getfattr', ['-n', 'user.none', path])).toThrow('getxattr: no data available');
  expect(() => runAttributesCommand('setfattr', ['-n', 'user.a', '-v', 'x', join(directory, 'none')])).toThrow(
    'setxattr: no such file or directory',
  );
});
