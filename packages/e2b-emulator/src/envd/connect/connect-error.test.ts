import { describe, expect, it } from 'vitest';
import { type ConnectCode, ConnectError, toConnectError } from './connect-error.ts';

describe('ConnectError', () => {
  it.each<[ConnectCode, number]>([
    ['invalid_argument', 400],
    ['failed_precondition', 400],
    ['out_of_range', 400],
    ['unauthenticated', 401],
    ['permission_denied', 403],
    ['not_found', 404],
    ['already_exists', 409],
    ['aborted', 409],
    ['resource_exhausted', 429],
    ['canceled', 499],
    ['unknown', 500],
    ['internal', 500],
    ['data_loss', 500],
    ['unimplemented', 501],
    ['unavailable', 503],
    ['deadline_exceeded', 504],
  ])('%s is status %i', (code, status) => {
    expect(new ConnectError(code, 'x').status).toBe(status);
  });

  it('is answered with its code and message', () => {
    expect(JSON.stringify(new ConnectError('not_found', 'no such thing'))).toBe(
      '{"code":"not_found","message":"no such thing"}',
    );
  });
});

describe('toConnectError', () => {
  it('makes `unknown` of everything else', () => {
    const error = new ConnectError('aborted', 'x');
    expect(toConnectError(error)).toBe(error);
    expect(toConnectError(new TypeError('odd'))).toMatchObject({ code: 'unknown', message: 'odd' });
    expect(toConnectError('odd')).toMatchObject({ code: 'unknown', message: 'odd' });
  });
});
