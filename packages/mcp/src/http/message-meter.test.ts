import { describe, expect, it } from 'vitest';
import { MessageMeter } from './message-meter.ts';

/** What is told of each piece. */
function measured(isEventStream: boolean, ...pieces: readonly string[]): number[] {
  const meter = new MessageMeter({ isEventStream });
  return pieces.map((piece) => meter.push(Buffer.from(piece)));
}

describe('MessageMeter', () => {
  it('counts the whole of a body that is one message, whatever its lines', () => {
    expect(measured(false, '{\n\n', '"a":\r\n\r\n', '1}')).toEqual([3, 11, 13]);
  });

  it.each(['\n', '\r\n', '\r'])('counts all lines of an event, up to an empty one (%j)', (end) => {
    const event = `data: 1${end}data: 2${end}`;
    const { length } = event;
    expect(measured(true, event, event, 'data')).toEqual([length, length * 2, length * 2 + 4]);
    const [whole = 0, after = 0] = measured(true, `${event}${end}`, 'data');
    expect(whole).toBeGreaterThan(length);
    // The line feed of a pair may count for the event after it.
    expect(after).toBeLessThanOrEqual(5);
  });

  it('takes a pair that two pieces share for one end of a line', () => {
    expect(measured(true, 'data: 1\r', '\ndata: 2\r', '\n', '\r', '\nx')).toEqual([8, 17, 18, 19, 2]);
  });

  it('tells of the longest event in a piece, and not only of the last', () => {
    expect(measured(true, `a\n\n${'x'.repeat(10)}\n\nb`)).toEqual([12]);
  });

  it('begins a stream at the start of a line', () => {
    expect(measured(true, '\n', 'data')).toEqual([1, 4]);
  });
});
