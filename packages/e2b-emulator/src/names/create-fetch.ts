import { rootCertificates } from 'node:tls';
import { Agent, fetch as undiciFetch } from 'undici';
import { lookupLocalhost } from './resolve-localhost.ts';

/** As `fetch`, for addresses. */
export type AddressFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** A `fetch` that finds every name under `localhost` on this machine, and trusts that certificate besides the usual ones. */
export function createFetch(certificate: string): AddressFetch {
  const dispatcher = new Agent({ connect: { ca: [...rootCertificates, certificate], lookup: lookupLocalhost } });
  // The same fetch in another version: the types of the built-in one know nothing of its agents.
  const fetch = undiciFetch as unknown as (input: string | URL, init: object) => Promise<Response>;
  return (input, init) => fetch(input, { ...init, dispatcher });
}
