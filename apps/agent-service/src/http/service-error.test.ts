import { DockerUnavailableError, FileNotFoundError, WorkspaceForbiddenError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { answerTo, workspaceNotFound } from './service-error.ts';

describe('answerTo', () => {
  it('tells an error of a package by its code', () => {
    expect(answerTo(new FileNotFoundError({ path: 'a' }), 'r')).toMatchObject({
      status: 404,
      body: { error: { code: 'file-not-found', details: { path: 'a' }, isRetryable: false } },
    });
    const away = new DockerUnavailableError({ host: 'unix:///x', reason: 'gone' } as never);
    expect(answerTo(away, 'r').status).toBe(503);
  });

  it("says of another's workspace what it says of none", () => {
    const forbidden = new WorkspaceForbiddenError({ workspaceId: 'w', reason: 'owned-by-another' });
    expect(answerTo(forbidden, 'r')).toEqual(answerTo(workspaceNotFound(), 'r'));
  });

  it('says nothing of what it does not know', () => {
    const answer = answerTo(new Error('password is swordfish'), 'r1');
    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal', details: { requestId: 'r1' } } } });
    expect(JSON.stringify(answer)).not.toContain('swordfish');
  });
});
