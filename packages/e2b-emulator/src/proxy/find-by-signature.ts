import { signatureOf } from '../envd/files/signature.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';

/**
 * Finds the sandbox whose token has signed a URL of a file. A URL that is made from a shared base says
 * nothing else of its sandbox; without a signature it can only be meant for one that has no token, where there
 * is only one.
 */
export function findBySignature(all: readonly Sandbox[], method: string, query: URLSearchParams): Sandbox | undefined {
  const signature = query.get('signature');
  if (signature === null) {
    const [open, ...others] = all.filter(({ envdAccessToken }) => envdAccessToken === undefined);
    return others.length === 0 ? open : undefined;
  }
  const operation = method === 'POST' ? 'write' : 'read';
  return all.find(
    ({ envdAccessToken: token }) => token !== undefined && signatureOf(query, operation, token) === signature,
  );
}
