import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Faults, type FaultSubject } from './faults.ts';

const SUBJECT: FaultSubject = {
  target: 'api',
  route: 'get',
  method: 'GET',
  path: '/sandboxes/i1',
  sandboxId: 'i1',
};

describe('faults', () => {
  it.each([
    {},
    { route: 'get' },
    { target: 'api' as const },
    { method: 'get' },
    { path: /^\/sandboxes/ },
    { path: 'i1$' },
    { sandboxId: 'i1', route: 'get' },
  ])('meet a request that is %j', (match) => {
    const faults = new Faults();
    const handle = faults.add({ match, status: 500 });
    expect(faults.take(SUBJECT)).toMatchObject({ status: 500 });
    expect(handle.met).toBe(1);
  });

  it.each([
    { route: 'kill' },
    { target: 'envd' as const },
    { method: 'POST' },
    { path: /^i1/ },
    { sandboxId: 'i2' },
    { route: 'get', sandboxId: 'i2' },
  ])('leave one alone that is not %j', (match) => {
    const faults = new Faults();
    faults.add({ match, status: 500 });
    expect(faults.take(SUBJECT)).toBeUndefined();
  });

  it('meet as many as they are told, the first of them first', () => {
    const faults = new Faults();
    faults.add({ times: 2, status: 500 });
    faults.add({ status: 502 });
    const statuses = [1, 2, 3].map(() => faults.take(SUBJECT)?.status);
    expect(statuses).toEqual([500, 500, 502]);
  });

  it('are taken away', () => {
    const faults = new Faults();
    const handle = faults.add({ status: 500 });
    expect([handle.remove(), handle.remove()]).toEqual([true, false]);
    expect(faults.take(SUBJECT)).toBeUndefined();
  });

  it.each([{ status: 200 }, { times: 0 }, { match: { path: '(' } }, { latencyMs: -1 }])('are not %j', (fault) => {
    expect(() => new Faults().add(fault)).toThrow(z.ZodError);
  });
});
