import { describe, expect, it } from 'vitest';
import { FileNotFoundError } from './file-not-found-error.ts';
import { LockTimeoutError } from './lock-timeout-error.ts';
import { WorkspaceError } from './workspace-error.ts';

describe('WorkspaceError', () => {
  const error = new FileNotFoundError({ path: '/a' }, { cause: new Error('ENOENT') });

  it('has a code, the facts, and a message that says what to do', () => {
    expect(error).toMatchObject({ name: 'FileNotFoundError', code: 'file-not-found', details: { path: '/a' } });
    expect(error.message).toBe('There is nothing at /a. Check the path; Glob lists what is there.');
    expect(error.cause).toMatchObject({ message: 'ENOENT' });
    expect(error.isRetryable).toBe(false);
    expect(new LockTimeoutError({ path: '/l', waitedMs: 1 }).isRetryable).toBe(true);
  });

  it('is known by its brand and code, from whichever copy', () => {
    expect(WorkspaceError.isInstance(error)).toBe(true);
    expect(FileNotFoundError.isInstance(error)).toBe(true);
    expect(LockTimeoutError.isInstance(error)).toBe(false);
    expect(WorkspaceError.isInstance(Object.assign(new Error('x'), { code: 'file-not-found' }))).toBe(false);
    const foreign = Object.assign(new Error('x'), {
      code: 'file-not-found',
      [Symbol.for('agent-workspace.error')]: true,
    });
    expect(FileNotFoundError.isInstance(foreign)).toBe(true);
  });

  it('becomes JSON without its cause', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'file-not-found',
      message: error.message,
      details: { path: '/a' },
      isRetryable: false,
    });
  });
});
