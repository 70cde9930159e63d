import { expect, it } from 'vitest';
import { sniffType, typeByExtension } from './content-type.ts';

it.each([
  ['a.txt', 'text/plain; charset=utf-8'],
  ['/tmp/page.HTML', 'text/html; charset=utf-8'],
  ['.json', 'application/json'],
  ['noextension', undefined],
  ['a.constructor', undefined],
])('knows the type of %s by its extension', (name, expected) => {
  expect(typeByExtension(name)).toBe(expected);
});

it.each([
  ['', 'text/plain; charset=utf-8'],
  ['plain ünïcode\n\ttext\u001b[0m', 'text/plain; charset=utf-8'],
  ['\u0000\u0001', 'application/octet-stream'],
])('tells %j from its beginning', (text, expected) => {
  expect(sniffType(Buffer.from(text))).toBe(expected);
});
