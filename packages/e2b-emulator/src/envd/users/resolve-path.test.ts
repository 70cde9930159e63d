import { expect, it } from 'vitest';
import { resolvePath } from './resolve-path.ts';

const user = { name: 'user', uid: 1000, gid: 1000, home: '/home/user' };
const state = { defaultUser: 'user', envs: {} };

it.each([
  ['', '/home/user'],
  ['~', '/home/user'],
  ['~/a', '/home/user/a'],
  ['a/b.txt', '/home/user/a/b.txt'],
  ['./a/../b', '/home/user/b'],
  ['../file', '/home/file'],
  ['/tmp/x', '/tmp/x'],
  ['/tmp/../x', '/tmp/../x'],
  [' spaced ünï', '/home/user/ spaced ünï'],
])('%j is %s', (path, expected) => {
  expect(resolvePath(path, user, state)).toBe(expected);
});

it('begins at the default workdir only where no path is given', () => {
  const withWorkdir = { ...state, defaultWorkdir: '/srv' };
  expect(resolvePath('', user, withWorkdir)).toBe('/srv');
  expect(resolvePath('a', user, withWorkdir)).toBe('/home/user/a');
});

it("does not know other users' homes", () => {
  expect(() => resolvePath('~root/a', user, state)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});
