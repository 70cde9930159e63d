import { hash, timingSafeEqual } from 'node:crypto';

interface Entry {
  readonly digest: Buffer;
  readonly tenant: string;
}

/** Whose a token is. The tokens themselves are not kept. */
export class TenantTokens {
  readonly #entries: readonly Entry[];

  /** @param tokens tenants by their tokens */
  constructor(tokens: Readonly<Record<string, string>>) {
    this.#entries = Object.entries(tokens).map(([token, tenant]) => ({ digest: digestOf(token), tenant }));
  }

  get tenants(): ReadonlySet<string> {
    return new Set(this.#entries.map(({ tenant }) => tenant));
  }

  /** Takes as long for a wrong token as for a right one, whichever it is. */
  find(token: string): string | undefined {
    const digest = digestOf(token);
    let found: string | undefined;
    for (const entry of this.#entries) if (timingSafeEqual(entry.digest, digest)) found = entry.tenant;
    return found;
  }
}

/** Whether two secrets are the same, in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
