import type { IncomingMessage } from 'node:http';
import type { EnvdState } from '../envd-state.ts';
import { sameToken } from '../same-token.ts';
import { FilesError } from './files-error.ts';
import { type SignedOperation, signatureOf } from './signature.ts';

/** In whole seconds since 1970. `undefined`: the signature never ends. */
function readExpiration(query: URLSearchParams): number | undefined {
  const expiration = query.get('signature_expiration');
  if (expiration === null) return undefined;
  if (/^-?\d{1,15}$/.test(expiration)) return Number(expiration);
  throw new FilesError(400, `Invalid format for parameter signature_expiration: "${expiration}" is not a number`);
}

/**
 * Lets in who has the access token, or a signature made with it for this operation on this path. A token that is
 * sent decides, whatever the signature.
 *
 * @throws FilesError 401; 400 for an expiration that is not a number
 */
export function authorize(
  request: IncomingMessage,
  options: { readonly query: URLSearchParams; readonly operation: SignedOperation; readonly state: EnvdState },
): void {
  const { query, operation, state } = options;
  const expiration = readExpiration(query);
  if (state.accessToken === undefined) return;
  const token = request.headers['x-access-token'] ?? '';
  if (token !== '') {
    if (sameToken(token, state.accessToken)) return;
    throw new FilesError(401, 'access token present in header but does not match');
  }
  const signature = query.get('signature');
  if (signature === null) throw new FilesError(401, 'missing signature query parameter');
  if (!sameToken(signature, signatureOf(query, operation, state.accessToken))) {
    throw new FilesError(401, 'invalid signature');
  }
  if (expiration !== undefined && expiration < Math.floor(Date.now() / 1000)) {
    throw new FilesError(401, 'signature is already expired');
  }
}
