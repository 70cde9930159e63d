import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { callAtOnce } from './at-once.ts';

it('makes just so many calls, and never more at once than it may', async () => {
  let [calls, running, most] = [0, 0, 0];
  await callAtOnce(50, 8, async () => {
    calls += 1;
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
  });
  expect({ calls, running, most }).toEqual({ calls: 50, running: 0, most: 8 });
});
