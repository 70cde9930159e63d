import { describe, expect, it } from 'vitest';
import { CallGate } from './call-gate.ts';

describe('CallGate', () => {
  it('lets shared calls in together', async () => {
    const gate = new CallGate();
    await gate.enter(true);
    await gate.enter(true);
    expect(await entersAtOnce(gate.enter(true))).toBe(true);
  });

  it('gives an exclusive call the floor to itself, in the order of arrival', async () => {
    const gate = new CallGate();
    const order: string[] = [];
    const call = async (name: string, isShared: boolean): Promise<void> => {
      const leave = await gate.enter(isShared);
      order.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      leave();
    };
    await Promise.all([call('read-1', true), call('write', false), call('read-2', true), call('read-3', true)]);
    expect(order).toEqual([
      'read-1 starts',
      'read-1 ends',
      'write starts',
      'write ends',
      'read-2 starts',
      'read-3 starts',
      'read-2 ends',
      'read-3 ends',
    ]);
  });

  it('lets an aborted call go without holding up those behind it', async () => {
    const gate = new CallGate();
    const leave = await gate.enter(true);
    const controller = new AbortController();
    const aborted = gate.enter(false, controller.signal);
    const behind = gate.enter(true);
    expect(await entersAtOnce(behind)).toBe(false);
    controller.abort(new Error('stopped by the user'));
    await expect(aborted).rejects.toThrow('stopped by the user');
    expect(await entersAtOnce(behind)).toBe(true);
    leave();
  });

  it('refuses a call that is aborted already', async () => {
    await expect(new CallGate().enter(true, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

async function entersAtOnce(turn: Promise<unknown>): Promise<boolean> {
  const later = new Promise<false>((resolve) => {
    setImmediate(() => resolve(false));
  });
  return await Promise.race([turn.then(() => true), later]);
}
