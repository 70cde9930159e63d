import { randomBytes, randomUUID } from 'node:crypto';
import { GatewayUnauthorizedError, GatewayVersionConflictError } from '@agent-workspace/core';
import {
  ACCEPTED_PROTOCOLS,
  type AddAttachmentRequest,
  ATTACHMENT_TTL_MS,
  attachmentSchemas,
  type Health,
  type ReadyLine,
  routePath,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayClient } from '../gateway-client.ts';
import {
  haltGateway,
  launchCommand,
  type Launched,
  launchGateway,
  launchResult,
  putGatewayFiles,
} from './launch-gateway.ts';
import type { Sandbox, SandboxCommand, SandboxRunResult, SandboxStart } from './sandbox.ts';

/** In base64url 43 characters, which no one guesses. */
const TOKEN_BYTES = 32;

export interface GatewayAttachmentOptions {
  readonly sandbox: Sandbox;
  /** Talks to the gateway with this attachment's token. */
  readonly client: () => GatewayClient;
  /** Told of each gateway that had to be started after the first time. */
  readonly onRestart: () => void;
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What a gateway knows a host by: one id, and a new token each time it is attached. */
export class GatewayAttachment {
  /** The same for as long as this host is attached: what it has at a gateway that lives on stays its own. */
  readonly id: string = randomUUID();
  readonly #options: GatewayAttachmentOptions;
  #token: string = newToken();
  /** What became of a launch that was part of the sandbox's start. */
  #ran: SandboxRunResult | undefined;
  #wasAttached = false;

  constructor(options: GatewayAttachmentOptions) {
    this.#options = options;
  }

  get token(): string {
    return this.#token;
  }

  /** Starts the sandbox, with the gateway where its engine does both at once. */
  async startSandbox({ signal }: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    const { sandbox } = this.#options;
    if (sandbox.startWith === undefined) return sandbox.start({ signal });
    const { attachment, command } = this.#newLaunch();
    const { start, ran } = await sandbox.startWith(command, { signal });
    this.#ran = ran;
    if (ran !== undefined) this.#token = attachment.token;
    return start;
  }

  /** `attach()` to a sandbox that has just been started, and may lack the gateway's files. */
  async attachFirst(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#ran === undefined) await putGatewayFiles(this.#options.sandbox);
    options.signal?.throwIfAborted();
    await this.attach();
  }

  /** Gets a new token at the gateway that runs, or at one that is started. */
  async attach(): Promise<void> {
    await this.#attach();
    this.#wasAttached = true;
  }

  async renew(): Promise<void> {
    await this.#options.client().json({
      operation: 'a renewal',
      method: 'PUT',
      path: routePath(ROUTES.attachment, { id: this.id }),
      body: { ttlMs: ATTACHMENT_TTL_MS },
      schema: attachmentSchemas().attachment,
      withoutRecovery: true,
    });
  }

  /**
   * Revokes it.
   *
   * @returns how many others are attached
   */
  async detach(): Promise<number> {
    try {
      return await this.#revoke();
    } catch (error) {
      if (!GatewayUnauthorizedError.isInstance(error)) throw error;
      // It has expired, or was another gateway's: only who is attached is told whether others are.
      this.#ran = undefined;
      await this.#launch();
      return await this.#revoke();
    }
  }

  async #revoke(): Promise<number> {
    const { attachments } = await this.#options.client().json({
      operation: 'the end of an attachment',
      method: 'DELETE',
      path: routePath(ROUTES.attachment, { id: this.id }),
      schema: attachmentSchemas().detached,
      withoutRecovery: true,
    });
    return attachments;
  }

  async #attach(): Promise<void> {
    const isOfStart = this.#ran !== undefined;
    const launched = await this.#launch();
    const isStarted = launched.how === 'started';
    if (isStarted && this.#wasAttached) this.#options.onRestart();
    // It has just said all that would be asked. One that died before is asked, since it has to be in reach again.
    if (isStarted && !this.#wasAttached && this.#hasAdmitted(launched.ready)) return;
    const health = await this.#options
      .client()
      .health({ withoutRecovery: true })
      .catch((error: unknown) => {
        // Of two hosts that start a sandbox at once, the gateway takes the one or the other.
        if (isOfStart && GatewayUnauthorizedError.isInstance(error)) return undefined;
        throw error;
      });
    if (health === undefined) await this.#attach();
    else if (!ACCEPTED_PROTOCOLS.includes(health.protocol)) await this.#replace(health);
  }

  #hasAdmitted(ready: ReadyLine | undefined): boolean {
    return ready?.attachmentId === this.id && ACCEPTED_PROTOCOLS.includes(ready.protocol);
  }

  #newLaunch(): { readonly attachment: AddAttachmentRequest; readonly command: SandboxCommand } {
    const attachment = { attachmentId: this.id, token: newToken(), ttlMs: ATTACHMENT_TTL_MS };
    return { attachment, command: launchCommand(this.#options.sandbox, attachment) };
  }

  async #launch(): Promise<Launched> {
    const ran = this.#ran;
    this.#ran = undefined;
    if (ran !== undefined) return launchResult(ran);
    const { attachment, command } = this.#newLaunch();
    const launched = await launchGateway(this.#options.sandbox, command);
    this.#token = attachment.token;
    return launched;
  }

  async #replace({ protocol, bundleHash, attachments }: Health): Promise<void> {
    const conflict = new GatewayVersionConflictError({ accepted: ACCEPTED_PROTOCOLS, found: protocol, bundleHash });
    if (attachments > 1) throw conflict;
    await haltGateway(this.#options.sandbox);
    await this.#launch();
    const health = await this.#options.client().health({ withoutRecovery: true });
    if (!ACCEPTED_PROTOCOLS.includes(health.protocol)) throw conflict;
  }
}
