import { randomBytes, randomUUID } from 'node:crypto';
import {
  GatewayUnstableError,
  GatewayUnreachableError,
  GatewayVersionConflictError,
  type Logger,
  type WorkspaceError,
  WorkspaceLostError,
} from '@agent-workspace/core';
import {
  ACCEPTED_PROTOCOLS,
  ATTACHMENT_RENEWAL_MS,
  ATTACHMENT_TTL_MS,
  attachmentSchemas,
  type Health,
  routePath,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import { GatewayClient, type GatewayClientOptions } from '../gateway-client.ts';
import { haltGateway, launchGateway, putGatewayFiles } from './launch-gateway.ts';
import type { Sandbox } from './sandbox.ts';

/** Starts within this time… */
const RESTART_WINDOW_MS = 60_000;
/** …after which a gateway is given up. */
const MAX_RESTARTS = 5;
/** For a gateway that is asked whether it is there. */
const LOOK_MS = 2_000;
/** In base64url 43 characters, which no one guesses. */
const TOKEN_BYTES = 32;

export interface GatewayKeeperOptions {
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  readonly client?: Pick<GatewayClientOptions, 'deadlines' | 'connections' | 'headers' | 'host'> | undefined;
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * Keeps this host attached to the gateway of a sandbox: starts it, renews the attachment, and brings
 * a gateway that died back, with a new token each time.
 */
export class GatewayKeeper {
  readonly client: GatewayClient;
  /** The same for as long as this host is attached: what it has at a gateway that lives on stays its own. */
  readonly attachmentId: string = randomUUID();
  readonly #sandbox: Sandbox;
  readonly #logger: Logger;
  readonly #restarts: number[] = [];
  #isClosing = false;
  #token: string = newToken();
  #recovering: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** Why there is no way back. */
  #giveUp: WorkspaceError | undefined;

  constructor({ sandbox, logger, client }: GatewayKeeperOptions) {
    this.#sandbox = sandbox;
    this.#logger = logger;
    this.client = new GatewayClient({
      ...sandbox.route,
      ...client,
      connect: sandbox.connect,
      token: () => this.#token,
      recover: (reason) => this.#recover(reason),
      logger,
    });
  }

  /** Whether the gateway can still be had. */
  get isLost(): boolean {
    return this.#giveUp !== undefined;
  }

  /** @throws `gateway-start-failed`, `gateway-version-conflict`, `gateway-unreachable`, `gateway-timeout` */
  async start(options: { readonly signal: AbortSignal }): Promise<Health> {
    await putGatewayFiles(this.#sandbox);
    options.signal.throwIfAborted();
    const health = await this.#attach();
    options.signal.throwIfAborted();
    this.#renewal = setInterval(() => void this.#renew(), ATTACHMENT_RENEWAL_MS);
    this.#renewal.unref();
    return health;
  }

  /**
   * Revokes the attachment and drops every connection.
   *
   * @returns how many others are attached; 0 where there is no gateway any more
   */
  async close(): Promise<number> {
    clearInterval(this.#renewal);
    this.#isClosing = true;
    await this.#recovering?.catch(() => undefined);
    try {
      const { attachments } = await this.client.json({
        operation: 'the end of an attachment',
        method: 'DELETE',
        path: routePath(ROUTES.attachment, { id: this.attachmentId }),
        schema: attachmentSchemas().detached,
        withoutRecovery: true,
      });
      return attachments;
    } catch (error) {
      this.#logger.warn('Could not detach from a gateway.', { error });
      return 0;
    } finally {
      await this.client.close();
    }
  }

  /** A new token at the gateway that runs, or at one that is started. */
  async #attach(): Promise<Health> {
    const launched = await this.#launch();
    if (launched === 'started' && this.#renewal !== undefined) this.#restarts.push(performance.now());
    const health = await this.client.health({ withoutRecovery: true });
    if (ACCEPTED_PROTOCOLS.includes(health.protocol)) return health;
    return this.#replace(health);
  }

  async #launch(): Promise<'attached' | 'started'> {
    const token = newToken();
    const attachment = { attachmentId: this.attachmentId, token, ttlMs: ATTACHMENT_TTL_MS };
    const launched = await launchGateway(this.#sandbox, attachment);
    this.#token = token;
    return launched;
  }

  async #replace({ protocol, bundleHash, attachments }: Health): Promise<Health> {
    const conflict = new GatewayVersionConflictError({ accepted: ACCEPTED_PROTOCOLS, found: protocol, bundleHash });
    if (attachments > 1) throw conflict;
    await haltGateway(this.#sandbox);
    await this.#launch();
    const health = await this.client.health({ withoutRecovery: true });
    if (!ACCEPTED_PROTOCOLS.includes(health.protocol)) throw conflict;
    return health;
  }

  /** @throws `gateway-unstable` if it has died too often of late */
  #throwIfUnstable(): void {
    const earliest = performance.now() - RESTART_WINDOW_MS;
    while ((this.#restarts[0] ?? earliest) < earliest) this.#restarts.shift();
    if (this.#restarts.length < MAX_RESTARTS) return;
    this.#giveUp = new GatewayUnstableError({ restarts: MAX_RESTARTS, withinMs: RESTART_WINDOW_MS });
    throw this.#giveUp;
  }

  #recover(reason: WorkspaceError): Promise<void> {
    if (this.#giveUp !== undefined) return Promise.reject(this.#giveUp);
    if (this.#isClosing || this.#sandbox.isAsleep === true) return Promise.reject(reason);
    this.#recovering ??= this.#bringBack(reason).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  async #bringBack(reason: WorkspaceError): Promise<void> {
    if (await this.#isThere()) return;
    this.#throwIfUnstable();
    this.#logger.warn('The gateway is gone and is started again.', { error: reason });
    try {
      await this.#attach();
    } catch (error) {
      if (WorkspaceLostError.isInstance(error)) {
        this.#giveUp = error;
        throw error;
      }
      const { message } = error as Error;
      throw new GatewayUnreachableError(
        { operation: 'the request', reason: `it could not be started again (${message})` },
        { cause: error },
      );
    }
  }

  /** Whether the gateway is there and knows the token. */
  async #isThere(): Promise<boolean> {
    try {
      await this.client.health({ timeoutMs: LOOK_MS, withoutRecovery: true });
      return true;
    } catch (error) {
      this.#logger.debug('The gateway does not answer.', { error });
      return false;
    }
  }

  async #renew(): Promise<void> {
    if (this.#sandbox.isAsleep === true) return;
    try {
      await this.client.json({
        operation: 'a renewal',
        method: 'PUT',
        path: routePath(ROUTES.attachment, { id: this.attachmentId }),
        body: { ttlMs: ATTACHMENT_TTL_MS },
        schema: attachmentSchemas().attachment,
        withoutRecovery: true,
      });
    } catch (error) {
      if (this.#isClosing) return;
      await this.#recover(error as WorkspaceError).catch((failure: unknown) =>
        this.#logger.warn('Could not renew the attachment to a gateway.', { error: failure }),
      );
    }
  }
}
