import { GatewayUnauthorizedError } from '@agent-workspace/core';
import { CONTENT_TYPES, ROUTES } from '@agent-workspace/gateway-protocol';
import type { AttachedHost } from '../attached/attached-host.ts';
import type { AttachedHosts } from '../attached/attached-hosts.ts';
import { bytesReply, type Reply } from './reply.ts';

/** Names of this machine, by which no other can be meant. */
const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const BEARER = /^Bearer ([\w-]+)$/i;
const ALIVE = Buffer.from('{"status":"ok"}');

export interface GuardOptions {
  readonly hosts: AttachedHosts;
  /** Names that a request may be for, beside those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** What is looked at of a request. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  /** The host that it is for, a port included. */
  readonly target: string;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/**
 * Lets nothing pass but requests of attached hosts: no page of a browser, which sends an `Origin`
 * or was led here by a name of its own, and nobody without a token. `GET /health` alone is
 * answered without one.
 */
export class Guard {
  readonly #hosts: AttachedHosts;
  readonly #allowed: ReadonlySet<string>;

  constructor({ hosts, allowedHosts = [] }: GuardOptions) {
    this.#hosts = hosts;
    this.#allowed = new Set([...OWN_HOSTS, ...allowedHosts].map((name) => name.toLowerCase()));
  }

  /** Whether a request may be for this host. */
  knows(target: string): boolean {
    return this.#allowed.has(nameOf(target));
  }

  /** @returns whose request it is, or what it is answered with at once @throws `gateway-unauthorized` */
  admit({ method, path, target, origin, authorization }: Arrival): AttachedHost | Reply {
    if (!this.knows(target)) {
      throw new GatewayUnauthorizedError({ reason: `it is for the host ${JSON.stringify(nameOf(target))}` });
    }
    if (origin !== undefined) {
      throw new GatewayUnauthorizedError({ reason: 'it has an Origin, which only pages in browsers send' });
    }
    if (authorization === undefined) {
      if (path === ROUTES.health && method === 'GET') return bytesReply([ALIVE], CONTENT_TYPES.json);
      throw new GatewayUnauthorizedError({ reason: 'it has no token' });
    }
    const token = BEARER.exec(authorization)?.[1];
    const host = token === undefined ? undefined : this.#hosts.authenticate(token);
    if (host === undefined) throw new GatewayUnauthorizedError({ reason: 'its token is not known, or not any more' });
    return host;
  }
}

function nameOf(target: string): string {
  return target.replace(/:\d+$/, '').toLowerCase();
}

export function isReply(admitted: AttachedHost | Reply): admitted is Reply {
  return 'body' in admitted;
}
