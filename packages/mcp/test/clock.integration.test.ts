import { afterEach, expect, it, vi } from 'vitest';
import { closeClients, fixtureClient, pidOf } from './support.ts';

const HOUR_MS = 3_600_000;

afterEach(async () => {
  vi.useRealTimers();
  await closeClients();
});

it('takes a server that dies at once for no stable one, however the clock is set meanwhile', async () => {
  // The time that passes is not that of the machine.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const gaps: number[] = [];
  const client = fixtureClient('echo', {
    onStateChange: (state) => {
      if (state.kind === 'failed') gaps.push((state.retryAt ?? 0) - Date.now());
    },
  });
  for (let count = 1; count <= 2; count++) {
    await client.connect();
    vi.setSystemTime(Date.now() + HOUR_MS);
    process.kill(pidOf(client), 'SIGKILL');
    await vi.waitFor(() => expect(gaps).toHaveLength(count));
  }
  expect(gaps).toEqual([500, 1000]);
});
