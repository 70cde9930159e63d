import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ControlPlane } from '../control/control-plane.ts';
import { describeError } from '../describe-error.ts';
import type { Fault } from '../faults/fault.ts';
import type { Faults, FaultSubject } from '../faults/faults.ts';
import { FAULTS_PATH } from '../faults/fault-routes.ts';
import { ENVD_PORT } from '../roots/call-envd.ts';
import type { SandboxRegistry } from '../sandboxes/sandbox-registry.ts';
import { bareSandboxId } from '../sandboxes/tokens.ts';
import { refuseUpgrade } from './forward-upgrade.ts';
import { plainAnswer } from './proxy-answer.ts';
import { type Destination, findDestination } from './sandbox-address.ts';
import type { SandboxProxy } from './sandbox-proxy.ts';

export interface TrafficOptions {
  readonly control: ControlPlane;
  readonly proxy: SandboxProxy;
  readonly sandboxes: SandboxRegistry;
  readonly faults: Faults;
  readonly log: (message: string) => void;
}

/** All that comes in: to the control plane or to a sandbox, unless a fault is in the way. */
export class Traffic {
  readonly #options: TrafficOptions;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#handleRequest(request, response).catch((error: unknown) => {
      this.#logFailure(request, error);
      response.destroy();
    });
  }

  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#handleUpgrade(request, socket, head).catch((error: unknown) => {
      this.#logFailure(request, error);
      socket.destroy();
    });
  }

  async #handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`http://localhost${request.url ?? '/'}`);
    const destination = findDestination(request.headers, url.pathname);
    const fault = this.#takeFault(request, url, destination);
    if (fault !== undefined) {
      await this.#suffer(fault, request, url, destination);
      if (fault.drop === 'before') {
        request.socket.destroy();
        return;
      }
      if (fault.status !== undefined) {
        request.resume();
        answerFault(response, fault, fault.status);
        return;
      }
    }
    const dropAfterBytes = fault?.drop === 'mid-stream' ? (fault.afterBytes ?? 0) : undefined;
    const { control, proxy } = this.#options;
    if (destination.kind === 'control-plane') await control.handle(request, response, { url, dropAfterBytes });
    else await proxy.handleRequest(request, response, { destination, url, dropAfterBytes });
  }

  async #handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const url = new URL(`http://localhost${request.url ?? '/'}`);
    const destination = findDestination(request.headers, url.pathname);
    if (destination.kind === 'control-plane') {
      refuseUpgrade(socket, plainAnswer(400, 'The control plane speaks no other protocol'));
      return;
    }
    const fault = this.#takeFault(request, url, destination);
    if (fault !== undefined) {
      await this.#suffer(fault, request, url, destination);
      if (fault.drop !== undefined) {
        socket.destroy();
        return;
      }
      if (fault.status !== undefined) {
        refuseUpgrade(socket, plainAnswer(fault.status, fault.message ?? 'injected fault'));
        return;
      }
    }
    await this.#options.proxy.handleUpgrade(request, socket, { destination, url, head });
  }

  #takeFault(request: IncomingMessage, url: URL, destination: Destination): Fault | undefined {
    if (url.pathname.startsWith(FAULTS_PATH)) return undefined;
    return this.#options.faults.take(this.#toSubject(request, url, destination));
  }

  #toSubject({ method = '' }: IncomingMessage, url: URL, destination: Destination): FaultSubject {
    const path = url.pathname;
    switch (destination.kind) {
      case 'control-plane': {
        const match = this.#options.control.match(method, path);
        const id = match?.params['sandboxID'];
        const sandboxId = id === undefined ? undefined : bareSandboxId(id);
        return { target: 'api', route: match?.route.name, method, path, sandboxId };
      }
      case 'sandbox': {
        const { sandboxId, port } = destination;
        return { target: port === ENVD_PORT ? 'envd' : 'port', route: undefined, method, path, sandboxId };
      }
      case 'signed-file':
      case 'invalid': {
        const sandboxId = this.#options.proxy.findSandbox(destination, method, url)?.sandboxId;
        return { target: 'envd', route: undefined, method, path, sandboxId };
      }
    }
  }

  /** What a fault does before the request is answered in one way or another. */
  async #suffer(fault: Fault, request: IncomingMessage, url: URL, destination: Destination): Promise<void> {
    if (fault.latencyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.latencyMs));
    if (!fault.vanish) return;
    const { sandboxId } = this.#toSubject(request, url, destination);
    const sandbox = sandboxId === undefined ? undefined : this.#options.sandboxes.find(sandboxId);
    if (sandbox !== undefined) await this.#options.sandboxes.kill(sandbox);
  }

  #logFailure({ method = '', url = '' }: IncomingMessage, error: unknown): void {
    this.#options.log(`${method} ${url} failed: ${describeError(error)}`);
  }
}

function answerFault(
  response: ServerResponse,
  { message = 'injected fault', retryAfter }: Fault,
  status: number,
): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify({ code: status, message }));
}
