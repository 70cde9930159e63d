import { expect, it } from 'vitest';
import { parseEvents } from './inotify.ts';

function encode(watch: number, mask: number, name: string): Buffer {
  const nameBytes = name === '' ? Buffer.alloc(0) : Buffer.alloc(16);
  nameBytes.write(name);
  const header = Buffer.from(new Uint32Array([watch, mask, 0, nameBytes.length]).buffer);
  return Buffer.concat([header, nameBytes]);
}

it('reads events with and without a name', () => {
  const bytes = Buffer.concat([encode(1, 0x100, 'ü.txt'), encode(2, 0x400, ''), encode(-1, 0x4000, '')]);
  expect([...parseEvents(bytes)]).toEqual([
    { watch: 1, mask: 0x100, name: 'ü.txt' },
    { watch: 2, mask: 0x400, name: '' },
    { watch: -1, mask: 0x4000, name: '' },
  ]);
});
