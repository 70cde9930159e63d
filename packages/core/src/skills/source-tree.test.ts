import { describe, expect, it } from 'vitest';
import { resolveInTree, sortOutLinks } from './source-tree.ts';

const links = new Map([
  ['bin/x', '../lib/x'],
  ['up', '..'],
  ['a/b/top', '../..'],
  ['detour', 'a/b/top/../x'],
  ['loop', 'loop'],
  ['one', 'two'],
  ['two', 'one/x'],
  ['absolute', '/etc/passwd'],
  ['lib/dir', 'deep'],
  ['through', 'lib/dir/file'],
]);

describe('resolveInTree', () => {
  it.each([
    ['bin/x', 'lib/x'],
    ['a/b/top', ''],
    ['a/b/top/bin/x', 'lib/x'],
    ['through', 'lib/deep/file'],
    ['./a//b/./c', 'a/b/c'],
    ['up', undefined],
    ['detour', undefined],
    ['loop', undefined],
    ['one', undefined],
    ['absolute', undefined],
    ['../x', undefined],
  ])('follows %j to %j', (path, end) => {
    expect(resolveInTree(path, links)).toBe(end);
  });
});

describe('sortOutLinks', () => {
  it('keeps what leads to something inside, and makes a detour direct', () => {
    const entries = [
      { kind: 'directory', path: 'lib' },
      { kind: 'file', path: 'lib/x' },
      { kind: 'link', path: 'bin/x', target: '../lib/x' },
      { kind: 'link', path: 'bin/y', target: './../bin/../lib' },
      { kind: 'link', path: 'here', target: '.' },
      { kind: 'link', path: 'gone', target: 'nothing' },
      { kind: 'link', path: 'out', target: '../x' },
    ] as const;
    expect(sortOutLinks(entries)).toEqual({
      kept: [...entries.slice(0, 3), { kind: 'link', path: 'bin/y', target: '../lib' }, entries[4]],
      dropped: [
        { path: 'gone', reason: 'it is left out: the link to "nothing" leads to nothing in it' },
        { path: 'out', reason: 'it is left out: the link to "../x" leads out of it' },
      ],
    });
  });
});
