import { describe, expect, it } from 'vitest';
import { signalName, toEndEvent } from './exit-status.ts';

describe('toEndEvent', () => {
  it('leaves out what is zero', () => {
    expect(toEndEvent({ code: 0, signal: null })).toEqual({ exited: true, status: 'exit status 0' });
  });

  it('has the code twice as text where it is not zero', () => {
    expect(toEndEvent({ code: 255, signal: null })).toEqual({
      exitCode: 255,
      exited: true,
      status: 'exit status 255',
      error: 'exit status 255',
    });
  });

  it.each([
    ['SIGKILL', 'killed'],
    ['SIGSEGV', 'segmentation fault'],
    ['SIGPIPE', 'broken pipe'],
    ['SIGWINCH', 'signal 28'],
  ] as const)('calls %s “%s”', (signal, name) => {
    const status = `signal: ${name}`;
    expect(toEndEvent({ code: null, signal })).toEqual({ exitCode: -1, status, error: status });
  });
});

describe('signalName', () => {
  it('finds a signal by its number', () => {
    expect([signalName(9), signalName(15), signalName(200)]).toEqual(['SIGKILL', 'SIGTERM', null]);
  });
});
