import { createHash } from 'node:crypto';

/** What a signature is good for. */
export type SignedOperation = 'read' | 'write';

/** The signature that whoever knows the token makes for a query to `/files`. Paths are signed as they are written. */
export function signatureOf(query: URLSearchParams, operation: SignedOperation, token: string): string {
  const expiration = query.get('signature_expiration');
  const subject = [query.get('path') ?? '', operation, query.get('username') ?? '', token];
  const parts = expiration === null ? subject : [...subject, expiration];
  return `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replace(/=+$/, '')}`;
}
