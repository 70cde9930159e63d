import { PatternInvalidError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { PathPattern } from './path-pattern.ts';

function matching(pattern: string, ...paths: readonly string[]): readonly string[] {
  const compiled = new PathPattern(pattern);
  return paths.filter((path) => compiled.matches(path));
}

describe('PathPattern', () => {
  it.each([
    ['*', ['a', '.b'], ['a/b']],
    ['**', ['a', 'a/b/c'], []],
    ['**/*', ['a', 'a/b/c'], []],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['a/x', 'ba']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/b/c', 'ab']],
    ['**/a/**/b', ['a/b', 'x/a/y/b', 'a/a/b/b'], ['b/a']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['*a*b*c*', ['abc', 'xaxbxcx'], ['acb']],
    ['[a-c]?', ['bx', 'a💡'], ['dx', 'a', 'axx']],
    ['[]a]', [']', 'a'], ['b']],
    ['[^a-]', ['b'], ['a', '-']],
    ['[!💡]', ['a'], ['💡']],
    ['a{b,c{d,e},}', ['ab', 'acd', 'ace', 'a'], ['ac', 'a{b']],
    ['\\*', ['*'], ['a']],
    ['a//./b', ['a/b'], ['a']],
    ['[id]/x', ['i/x', '[id]/x'], ['id/x']],
    ['app/{x,[y]}/z', ['app/x/z', 'app/y/z', 'app/[y]/z'], []],
  ] as const)('%s', (pattern, yes, no) => {
    expect(matching(pattern, ...yes, ...no)).toEqual(yes);
  });

  it.each(['', '/a', '../a', 'a/..', '[a', 'a[', '{a', 'a{b,{c}', 'a/', 'a\0', '{a,b}'.repeat(20)])(
    'refuses %j',
    (pattern) => {
      expect(() => new PathPattern(pattern)).toThrow(PatternInvalidError);
    },
  );

  it('takes a time that grows no faster than pattern times path', () => {
    const startedAt = performance.now();
    expect(matching(`${'*a'.repeat(200)}b`, 'a'.repeat(5_000))).toEqual([]);
    expect(matching(`${'**/a/'.repeat(200)}b`, 'a/'.repeat(5_000))).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it.each([
    ['src/a/*.ts', 'src/a'],
    ['src/a.ts', 'src'],
    ['*.ts', ''],
    ['a.ts', ''],
    ['src/{a,b}/*.ts', 'src'],
    ['{src,lib}/*.ts', ''],
    ['src/[id]/x', 'src'],
    ['a\\*b/x', 'a*b'],
    ['src/**/a/*.ts', 'src'],
  ])('knows the directory that %s spells out', (pattern, directory) => {
    expect(new PathPattern(pattern).fixedDirectory).toBe(directory);
  });

  it.each([
    ['**/*.ts', ['*.ts']],
    ['a/b?c', ['b*c']],
    ['{a,b}/x:[1-9].txt', ['x*.txt', 'x*.txt']],
    ['src/**', undefined],
    ['src/*', undefined],
    ['{a,**}', undefined],
  ])('tells ripgrep what names %s can end with', (pattern, names) => {
    expect(new PathPattern(pattern).lastNames).toEqual(names);
  });
});
