import {
  FileNotFoundError,
  LockLostError,
  MCPRequestFailedError,
  PathOutsideRootError,
  type WorkspaceError,
} from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { parseAnswer, toWire } from '../wire-schema.ts';
import { KNOWN_ERRORS } from './error-classes.ts';
import { problemSchema } from './problem.ts';
import { reviveError } from './revive-error.ts';
import { toProblem } from './to-problem.ts';

function travel(error: unknown): WorkspaceError {
  return reviveError(parseAnswer(problemSchema(), JSON.parse(toWire(toProblem(error))), 'test'));
}

describe('an error that travels', () => {
  it.each([
    new FileNotFoundError({ path: '/a' }),
    new LockLostError({ path: '/lock' }),
    new PathOutsideRootError({ path: '/a', realPath: '/b', roots: ['/c'] }),
    new MCPRequestFailedError({ name: 'n', method: 'tools/call', rpcCode: -32_603, data: { x: 1 }, problem: 'boom' }),
  ])('is the same at the other end: $code', (error) => {
    const revived = travel(error);
    expect(revived).toBeInstanceOf(error.constructor);
    expect(revived.toJSON()).toStrictEqual(error.toJSON());
  });

  it('is a problem with a status, by RFC 9457', () => {
    expect(toProblem(new FileNotFoundError({ path: '/a' }))).toStrictEqual({
      type: 'urn:agent-workspace:error:file-not-found',
      title: 'FileNotFoundError',
      status: 404,
      detail: 'There is nothing at /a. Check the path; Glob lists what is there.',
      code: 'file-not-found',
      details: { path: '/a' },
      isRetryable: false,
    });
  });

  it('says what failed when it is none of ours, and no more', () => {
    const revived = travel(new TypeError('x is undefined'));
    expect(revived).toMatchObject({ code: 'gateway-failed', details: { problem: 'x is undefined' } });
  });

  it('keeps a code that is not known', () => {
    const problem = { ...toProblem(new FileNotFoundError({ path: '/a' })), code: 'from-the-future', status: 418 };
    expect(reviveError(problem)).toMatchObject({
      code: 'gateway-protocol-error',
      details: { remoteCode: 'from-the-future', status: 418, remoteDetails: { path: '/a' } },
    });
  });

  it('does not pass for what only this host can say', () => {
    const problem = { ...toProblem(new FileNotFoundError({ path: '/a' })), code: 'workspace-closed' };
    expect(reviveError(problem).code).toBe('gateway-protocol-error');
  });

  it('that lacks its details is an invalid answer', () => {
    const problem = { ...toProblem(new FileNotFoundError({ path: '/a' })), code: 'path-outside-root', details: {} };
    expect(reviveError(problem).code).toBe('gateway-answer-invalid');
  });
});

describe('KNOWN_ERRORS', () => {
  it('has a class for each code, under its own name', () => {
    for (const [code, { errorClass, status }] of KNOWN_ERRORS) {
      expect(errorClass.code).toBe(code);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  it('has none of those that only a host can know', () => {
    const ofHosts = ['gateway-unreachable', 'gateway-timeout', 'workspace-closed', 'session-mismatch', 'lock-timeout'];
    expect(ofHosts.filter((code) => KNOWN_ERRORS.has(code))).toStrictEqual([]);
  });
});
