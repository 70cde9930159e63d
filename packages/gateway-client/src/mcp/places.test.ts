import { expect, it } from 'vitest';
import { Places } from './places.ts';

it('Places are given to those who wait, in turn', async () => {
  const places = new Places(1);
  const first = await places.take();
  const order: string[] = [];
  const second = places.take().then((place) => {
    order.push('second');
    return place;
  });
  const third = places.take().then((place) => {
    order.push('third');
    return place;
  });
  await Promise.resolve();
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect(order).toEqual(['second', 'third']);
  (await places.take())[Symbol.dispose]();
});
