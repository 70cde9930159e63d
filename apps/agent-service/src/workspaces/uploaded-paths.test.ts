import { WorkspaceError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { checkUploadedPaths } from './uploaded-paths.ts';

function codeOf(paths: readonly string[]): string {
  try {
    checkUploadedPaths(paths);
    return 'taken';
  } catch (error) {
    return WorkspaceError.isInstance(error) ? error.code : 'another error';
  }
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `s/${index}.md`);
const nested = (depth: number): string => Array.from({ length: depth }, () => 'd').join('/');

describe('the paths of an upload', () => {
  it.each([
    ['a folder with files', ['s/SKILL.md', 's/scripts/a.sh', 's/scripts/b.sh', 't.md']],
    ['names that begin alike', ['s/a', 's/ab', 's/a.b/c']],
    ['a name as long as can be', [`s/${'n'.repeat(255)}`]],
    ['as many as there may be, with their folder', numbered(9_999)],
    ['as deep as may be', [nested(32)]],
  ])('may be %s', (_what, paths) => {
    expect(codeOf(paths)).toBe('taken');
  });

  it.each([
    ['two of one name', ['s/SKILL.md', 's/SKILL.md']],
    ['a file that is a folder for the next', ['a', 'a/b']],
    ['a folder that is a file for the next', ['a/b/c', 'a/b']],
    ['a name that no file can have', [`s/${'n'.repeat(256)}`]],
    ['one of too many bytes, though of fewer characters', [`s/${'é'.repeat(128)}`]],
    ['a path that is too long', [Array.from({ length: 20 }, () => 'n'.repeat(200)).join('/')]],
    ['one that is too deep', [nested(33)]],
    ['one that leads out', ['s/../../a']],
    ['an empty part', ['s//a']],
    ['a NUL', ['s/a\0']],
  ])('are not %s', (_what, paths) => {
    expect(codeOf(paths)).toBe('path-invalid');
  });

  it('are not more than a skill may have, folders among them', () => {
    expect(codeOf(numbered(10_000))).toBe('limit-exceeded');
    const inFolders = Array.from({ length: 5_001 }, (_, index) => `${index}/a`);
    expect(codeOf(inFolders)).toBe('limit-exceeded');
  });
});
