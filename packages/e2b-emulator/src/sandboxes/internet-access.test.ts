import { expect, it } from 'vitest';
import { reachesInternet } from './internet-access.ts';

it.each([
  [undefined, undefined, true],
  [undefined, true, true],
  [undefined, false, false],
  [{ denyOut: ['8.8.8.8'] }, undefined, true],
  [{ denyOut: ['0.0.0.0/0'] }, undefined, false],
  [{ denyOut: ['0.0.0.0/0'], allowOut: ['1.1.1.1'] }, true, false],
])('network %j with internet access %s: %s', (network, allowInternetAccess, expected) => {
  expect(reachesInternet(network, allowInternetAccess)).toBe(expected);
});
