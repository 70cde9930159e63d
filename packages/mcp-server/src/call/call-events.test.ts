import { describe, expect, it } from 'vitest';
import { CallEvents } from './call-events.ts';

function output(sessionId: string, toolCallId: string, text: string): Parameters<CallEvents['listener']>[0] {
  const bytes = Buffer.from(text);
  return { type: 'tool-output', scope: { sessionId }, tool: 'Bash', toolCallId, stream: 'stdout', bytes };
}

describe('CallEvents', () => {
  it('takes the last line of what a call of this session prints to that call', () => {
    const events = new CallEvents('mine');
    const heard: string[] = [];
    {
      using _listener = events.onOutput('call-1', (line) => void heard.push(line));
      events.listener(output('mine', 'call-1', 'one\ntwo\r\n\n'));
      events.listener(output('mine', 'call-2', 'of another call'));
      events.listener(output('theirs', 'call-1', 'of another session'));
    }
    events.listener(output('mine', 'call-1', 'after its end'));
    expect(heard).toStrictEqual(['two']);
  });

  it('takes news of a build to all who wait for the start', () => {
    const events = new CallEvents('mine');
    const heard: string[] = [];
    using _one = events.onStart((line) => void heard.push(`one ${line}`));
    using _other = events.onStart((line) => void heard.push(`other ${line}`));
    events.listener({ type: 'build-progressed', message: 'Step 1' });
    expect(heard).toStrictEqual(['one Step 1', 'other Step 1']);
  });
});
