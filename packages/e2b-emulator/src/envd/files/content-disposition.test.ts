import { expect, it } from 'vitest';
import { inlineDisposition } from './content-disposition.ts';

it.each([
  ['test.txt', 'inline; filename=test.txt'],
  ['archive.tar.gz', 'inline; filename=archive.tar.gz'],
  ['.env', 'inline; filename=.env'],
  ['my document.pdf', 'inline; filename="my document.pdf"'],
  ['file"name.txt', String.raw`inline; filename="file\"name.txt"`],
  [String.raw`file\name.txt`, String.raw`inline; filename="file\\name.txt"`],
  ['文档.pdf', "inline; filename*=utf-8''%E6%96%87%E6%A1%A3.pdf"],
  ['a ü*', "inline; filename*=utf-8''a%20%C3%BC%2A"],
])('names %j', (name, expected) => {
  expect(inlineDisposition(name)).toBe(expected);
});
