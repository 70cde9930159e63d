import { describe, expect, it } from 'vitest';
import type { CapturedOutput, ExecResult, ProcessEnd } from '../backend/process.ts';
import { commandOutcome } from './bash-result.ts';

function captured(text: string): CapturedOutput {
  const head = Buffer.from(text);
  return { head, tail: new Uint8Array(), droppedBytes: 0, totalBytes: head.length };
}

function outcome(end: ProcessEnd, stdout = '', stderr = ''): { state: string; text: string; metadata: unknown } {
  const result: ExecResult = { end, stdout: captured(stdout), stderr: captured(stderr), durationMs: 1.4 };
  const { state, content, metadata } = commandOutcome(result);
  return { state, text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), metadata };
}

const ok: ProcessEnd = { kind: 'exited', exitCode: 0 };

describe('commandOutcome', () => {
  it('gives the output of a good command as it is', () => {
    expect(outcome(ok, 'a')).toEqual({
      state: 'success',
      text: 'a',
      metadata: { exit_code: 0, signal: null, timed_out: false, duration_ms: 1, dropped_bytes: 0 },
    });
  });

  it('puts stderr behind a mark on a line of its own', () => {
    expect(outcome(ok, 'a', 'b').text).toBe('a\n[stderr]\nb');
    expect(outcome(ok, '', 'b').text).toBe('[stderr]\nb');
  });

  it('begins with how a command ended that did not end well', () => {
    expect(outcome({ kind: 'exited', exitCode: 3 }, 'a')).toMatchObject({ state: 'error', text: 'Exit code 3\na' });
    expect(outcome({ kind: 'signaled', signal: 'SIGSEGV' }).text).toBe('Killed by SIGSEGV\n(no output)');
    expect(outcome({ kind: 'timed-out', timeoutMs: 50 }, 'a').text).toBe('Timed out after 50 ms\na');
    expect(outcome({ kind: 'aborted' }, 'a')).toMatchObject({
      state: 'interrupted',
      text: 'Interrupted by the caller\na',
    });
  });

  it('gives each stream half of the room, and what the other leaves of it', () => {
    const long = 'x'.repeat(40_000);
    expect(outcome(ok, long, long).text.match(/x/g)).toHaveLength(30_000);
    expect(outcome(ok, long, 'zz').text.match(/x/g)).toHaveLength(29_998);
    expect(outcome(ok, 'zz', long).text.match(/x/g)).toHaveLength(29_998);
    expect(outcome(ok, long, 'z'.repeat(16_000)).text.match(/z/g)).toHaveLength(15_000);
  });
});
