import { expect, it } from 'vitest';
import { integer } from './der.ts';

it.each([
  ['00', '020100'],
  ['01', '020101'],
  ['7f', '02017f'],
  ['80', '02020080'],
  ['0001', '020101'],
  ['000080ff', '02030080ff'],
  ['0000', '020100'],
])('encodes the number %s in as few bytes as can be', (number, encoded) => {
  expect(integer(Buffer.from(number, 'hex')).toString('hex')).toBe(encoded);
});
