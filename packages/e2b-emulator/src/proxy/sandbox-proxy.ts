import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';
import { ENVD_PORT } from '../roots/call-envd.ts';
import { PortClosedError } from '../roots/port-closed-error.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { SandboxRegistry } from '../sandboxes/sandbox-registry.ts';
import { admit } from './admit.ts';
import { answerFor } from './browser-page.ts';
import { findBySignature } from './find-by-signature.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade, refuseUpgrade } from './forward-upgrade.ts';
import * as answers from './proxy-answer.ts';
import type { ProxyAnswer } from './proxy-answer.ts';
import type { Destination } from './sandbox-address.ts';

/** A port of a sandbox that a request may go to. */
interface Passage {
  readonly sandbox: Sandbox;
  readonly connection: Duplex;
  readonly host: string | undefined;
}

export type SandboxDestination = Exclude<Destination, { readonly kind: 'control-plane' }>;

/** Leads requests to the ports of sandboxes. */
export class SandboxProxy {
  readonly #sandboxes: SandboxRegistry;

  constructor(sandboxes: SandboxRegistry) {
    this.#sandboxes = sandboxes;
  }

  /** The sandbox that a request is for, if it is there. */
  findSandbox(destination: SandboxDestination, method: string, url: URL): Sandbox | undefined {
    switch (destination.kind) {
      case 'sandbox':
        return this.#sandboxes.find(destination.sandboxId);
      case 'signed-file':
        return findBySignature(this.#sandboxes.all, method, url.searchParams);
      case 'invalid':
        return undefined;
    }
  }

  async handleRequest(
    request: IncomingMessage,
    response: ServerResponse,
    visit: { readonly destination: SandboxDestination; readonly url: URL; readonly dropAfterBytes: number | undefined },
  ): Promise<void> {
    const passage = await this.#open(request, visit.destination, visit.url);
    if ('status' in passage) {
      request.resume();
      const { status, contentType, body } = answerFor(request.headers['user-agent'], passage);
      response.writeHead(status, { 'content-type': contentType }).end(body);
      return;
    }
    const { sandbox, connection, host } = passage;
    const { dropAfterBytes } = visit;
    const track = (cut: () => void): (() => void) => sandbox.track(cut);
    await forwardRequest({ request, response, connection, host, track, dropAfterBytes });
  }

  async handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    visit: { readonly destination: SandboxDestination; readonly url: URL; readonly head: Buffer },
  ): Promise<void> {
    const passage = await this.#open(request, visit.destination, visit.url);
    if ('status' in passage) {
      refuseUpgrade(socket, passage);
      return;
    }
    const { sandbox, connection, host } = passage;
    forwardUpgrade({ request, socket, head: visit.head, connection, host, track: (cut) => sandbox.track(cut) });
  }

  async #open(request: IncomingMessage, destination: SandboxDestination, url: URL): Promise<Passage | ProxyAnswer> {
    if (destination.kind === 'invalid') return answers.plainAnswer(400, destination.message);
    const sandbox = this.findSandbox(destination, request.method ?? '', url);
    if (sandbox === undefined) {
      return destination.kind === 'sandbox'
        ? answers.sandboxNotFoundAnswer(destination.sandboxId)
        : answers.signatureAnswer();
    }
    const port = destination.kind === 'sandbox' ? destination.port : ENVD_PORT;
    const refusal = await admit({ sandbox, port, path: url.pathname, headers: request.headers });
    if (refusal !== undefined) return refusal;
    try {
      const connection = await this.#connect(sandbox, port);
      // It may have been paused or ended while the connection was made.
      if (sandbox.state === 'running') return { sandbox, connection, host: maskedHost(sandbox, port) };
      connection.destroy();
      return answers.sandboxNotFoundAnswer(sandbox.sandboxId);
    } catch (error) {
      if (!(error instanceof PortClosedError)) throw error;
      if (sandbox.state !== 'running') return answers.sandboxNotFoundAnswer(sandbox.sandboxId);
      return answers.portClosedAnswer(sandbox.sandboxId, port);
    }
  }

  async #connect(sandbox: Sandbox, port: number): Promise<Duplex> {
    const plain = await sandbox.connect(port);
    if (!sandbox.network?.httpsPorts?.includes(port)) return plain;
    // Nobody but the sandbox itself has made the certificate.
    const socket = connectTls({ socket: plain, rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect');
      return socket;
    } catch (cause) {
      throw new PortClosedError(port, { cause });
    }
  }
}

function maskedHost({ network }: Sandbox, port: number): string | undefined {
  if (port === ENVD_PORT) return undefined;
  return network?.maskRequestHost?.replaceAll('${PORT}', String(port));
}
