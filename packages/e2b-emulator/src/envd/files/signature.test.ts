import { expect, it } from 'vitest';
import { signatureOf } from './signature.ts';

// Worked out with `printf '%s' "$subject" | openssl dgst -sha256 -binary | base64 | tr -d =`.
it.each([
  ['path=hello.txt', 'read', 'v1_NkGriylfdoUkkjPDYnFjgWSASKFUFqf+x49iFs+8MCM'],
  [
    'path=%2Ftmp%2Fa+b&username=root&signature_expiration=1700000000',
    'write',
    'v1_mJRtWXPbObGQX3xPbUhpnXn47P3RxMdOUcXiEliIzmE',
  ],
] as const)('signs %s for %s', (query, operation, expected) => {
  expect(signatureOf(new URLSearchParams(query), operation, 'token')).toBe(expected);
});
