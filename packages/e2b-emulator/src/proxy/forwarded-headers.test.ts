import { expect, it } from 'vitest';
import { forwardedHeaders, upgradeHeaders } from './forwarded-headers.ts';

const RAW = [
  'host',
  'a.localhost',
  'x-own-header',
  '1',
  'Connection',
  'Upgrade',
  'Keep-Alive',
  '5',
  'X-Own-Header',
  '2',
];

it('passes on all but what is of one connection, named as the real proxy does', () => {
  expect(forwardedHeaders(RAW)).toEqual(['Host', 'a.localhost', 'X-Own-Header', '1', 'X-Own-Header', '2']);
});

it('masks the host', () => {
  expect(forwardedHeaders(RAW, 'localhost:3000').slice(0, 2)).toEqual(['Host', 'localhost:3000']);
});

it('keeps asking for another protocol', () => {
  expect(upgradeHeaders(RAW).slice(-2)).toEqual(['Connection', 'Upgrade']);
});
