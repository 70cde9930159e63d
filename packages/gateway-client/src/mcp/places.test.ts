import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

const unending = new AbortController().signal;

describe('Places', () => {
  it('are given to those who wait, in turn', async () => {
    const places = new Places(1);
    const first = await places.take(unending);
    const order: string[] = [];
    const second = places.take(unending).then((place) => {
      order.push('second');
      return place;
    });
    const third = places.take(unending).then((place) => {
      order.push('third');
      return place;
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    expect(places.takeFree()).toBeUndefined();
    first[Symbol.dispose]();
    (await second)[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    expect(order).toEqual(['second', 'third']);
    places.takeFree()?.[Symbol.dispose]();
    expect(places.takeFree()).toBeDefined();
  });

  it('are not waited for any more by who gives up', async () => {
    const places = new Places(1);
    const first = await places.take(unending);
    const controller = new AbortController();
    const given = places.take(controller.signal);
    const next = places.take(unending);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await expect(places.take(controller.signal)).rejects.toThrow('enough');
    first[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    expect(places.takeFree()).toBeDefined();
  });

  it('are given back by who gives up in the moment that one is free', async () => {
    const places = new Places(1);
    const first = await places.take(unending);
    const controller = new AbortController();
    const given = places.take(controller.signal);
    controller.abort(new Error('enough'));
    first[Symbol.dispose]();
    await expect(given).rejects.toThrow('enough');
    expect(places.takeFree()).toBeDefined();
  });
});
