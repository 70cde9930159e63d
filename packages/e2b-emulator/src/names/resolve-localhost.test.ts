import { expect, it } from 'vitest';
import { isLocalhostName, lookupLocalhost } from './resolve-localhost.ts';

it.each(['localhost', 'a.localhost', '3000-i1.e2b.LOCALHOST.'])('takes %s for this machine', (name) => {
  expect(isLocalhostName(name)).toBe(true);
});

it.each(['localhost.com', 'notlocalhost', 'e2b.app'])('does not take %s for this machine', (name) => {
  expect(isLocalhostName(name)).toBe(false);
});

it('answers in both forms', async () => {
  const one = await new Promise((resolve) => lookupLocalhost('a.localhost', {}, (...answer) => resolve(answer)));
  expect(one).toEqual([null, '127.0.0.1', 4]);
  const all = await new Promise((resolve) =>
    lookupLocalhost('a.localhost', { all: true }, (...answer) => resolve(answer)),
  );
  expect(all).toEqual([null, [{ address: '127.0.0.1', family: 4 }]]);
});

it('leaves other names to the system', async () => {
  const answer = await new Promise((resolve) => lookupLocalhost('127.0.0.1', {}, (...found) => resolve(found)));
  expect(answer).toEqual([null, '127.0.0.1', 4]);
});
