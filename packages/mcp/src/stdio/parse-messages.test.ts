import { describe, expect, it } from 'vitest';
import { parseMessages } from './parse-messages.ts';

describe('parseMessages', () => {
  it('reads one message or a batch', () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(parseMessages(`${JSON.stringify(ping)}\r`)).toEqual([ping]);
    expect(parseMessages(JSON.stringify([ping, ping]))).toEqual([ping, ping]);
  });

  it.each(['', 'Listening on 3000', '42', 'null', '[]', '{"level":"info"}', '{"jsonrpc":"2.0"}', '{"jsonrpc": broken'])(
    'finds none in %j',
    (line) => expect(parseMessages(line)).toEqual([]),
  );
});
