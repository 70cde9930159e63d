import { randomBytes, randomUUID } from 'node:crypto';
import {
  GatewayUnauthorizedError,
  GatewayUnstableError,
  GatewayUnreachableError,
  GatewayVersionConflictError,
  type Logger,
  type WorkspaceError,
  WorkspaceLostError,
} from '@agent-workspace/core';
import {
  ACCEPTED_PROTOCOLS,
  type AddAttachmentRequest,
  ATTACHMENT_RENEWAL_MS,
  ATTACHMENT_TTL_MS,
  attachmentSchemas,
  type Health,
  type ReadyLine,
  routePath,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import { GatewayClient, type GatewayClientOptions } from '../gateway-client.ts';
import {
  haltGateway,
  launchCommand,
  type Launched,
  launchGateway,
  launchResult,
  putGatewayFiles,
} from './launch-gateway.ts';
import type { Sandbox, SandboxCommand, SandboxRunResult, SandboxStart } from './sandbox.ts';

/** Starts within this time… */
const RESTART_WINDOW_MS = 60_000;
/** …after which a gateway is given up. */
const MAX_RESTARTS = 5;
/** For a gateway that is asked whether it is there. */
const LOOK_MS = 2_000;
/** For a sandbox that has stopped to run again. */
const SANDBOX_START_MS = 120_000;
/** In base64url 43 characters, which no one guesses. */
const TOKEN_BYTES = 32;

export interface GatewayKeeperOptions {
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  /** How it is talked to. Default `connections`: the sandbox's. */
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
  /** The same for as long as this host is attached: what it has at a gateway that lives on stays its own. */
  readonly attachmentId: string = randomUUID();
  readonly #options: GatewayKeeperOptions;
  readonly #sandbox: Sandbox;
  readonly #logger: Logger;
  readonly #restarts: number[] = [];
  #isClosing = false;
  #client: GatewayClient | undefined;
  #token: string = newToken();
  /** What became of a launch that was part of the sandbox's start. */
  #ran: SandboxRunResult | undefined;
  #isDown = false;
  #recovering: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** Why there is no way back. */
  #giveUp: WorkspaceError | undefined;

  constructor(options: GatewayKeeperOptions) {
    this.#options = options;
    this.#sandbox = options.sandbox;
    this.#logger = options.logger;
  }

  /** Talks to the gateway, once the sandbox has been started. */
  get client(): GatewayClient {
    const { sandbox, logger, client } = this.#options;
    this.#client ??= new GatewayClient({
      connections: sandbox.connections,
      ...sandbox.route,
      ...client,
      connect: sandbox.connect,
      token: () => this.#token,
      recover: (reason) => this.#recover(reason),
      logger,
    });
    return this.#client;
  }

  /** Whether the gateway is out of reach: for good, or since it could not be brought back the last time. */
  get isLost(): boolean {
    return this.#giveUp !== undefined || this.#isDown;
  }

  /** Starts the sandbox, with the gateway where its engine does both at once. */
  async startSandbox({ signal }: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    const sandbox = this.#sandbox;
    if (sandbox.startWith === undefined) return sandbox.start({ signal });
    const { attachment, command } = this.#newLaunch();
    const { start, ran } = await sandbox.startWith(command, { signal });
    this.#ran = ran;
    if (ran !== undefined) this.#token = attachment.token;
    return start;
  }

  /** @throws `gateway-start-failed`, `gateway-version-conflict`, `gateway-unreachable`, `gateway-timeout` */
  async start(options: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#ran === undefined) await putGatewayFiles(this.#sandbox);
    options.signal.throwIfAborted();
    await this.#attach();
    options.signal.throwIfAborted();
    this.#renewal = setInterval(() => void this.#renew(), ATTACHMENT_RENEWAL_MS);
    this.#renewal.unref();
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
  async #attach(): Promise<void> {
    const isOfStart = this.#ran !== undefined;
    const launched = await this.#launch();
    const isStarted = launched.how === 'started';
    const isAgain = this.#renewal !== undefined;
    if (isStarted && isAgain) this.#restarts.push(performance.now());
    // It has just said all that would be asked. One that died before is asked, since it has to be in reach again.
    if (isStarted && !isAgain && this.#hasAdmitted(launched.ready)) return;
    const health = await this.client.health({ withoutRecovery: true }).catch((error: unknown) => {
      // Of two hosts that start a sandbox at once, the gateway takes the one or the other.
      if (isOfStart && GatewayUnauthorizedError.isInstance(error)) return undefined;
      throw error;
    });
    if (health === undefined) await this.#attach();
    else if (!ACCEPTED_PROTOCOLS.includes(health.protocol)) await this.#replace(health);
  }

  #hasAdmitted(ready: ReadyLine | undefined): boolean {
    return ready?.attachmentId === this.attachmentId && ACCEPTED_PROTOCOLS.includes(ready.protocol);
  }

  #newLaunch(): { readonly attachment: AddAttachmentRequest; readonly command: SandboxCommand } {
    const attachment = { attachmentId: this.attachmentId, token: newToken(), ttlMs: ATTACHMENT_TTL_MS };
    return { attachment, command: launchCommand(this.#sandbox, attachment) };
  }

  async #launch(): Promise<Launched> {
    const ran = this.#ran;
    this.#ran = undefined;
    if (ran !== undefined) return launchResult(ran);
    const { attachment, command } = this.#newLaunch();
    const launched = await launchGateway(this.#sandbox, command);
    this.#token = attachment.token;
    return launched;
  }

  async #replace({ protocol, bundleHash, attachments }: Health): Promise<void> {
    const conflict = new GatewayVersionConflictError({ accepted: ACCEPTED_PROTOCOLS, found: protocol, bundleHash });
    if (attachments > 1) throw conflict;
    await haltGateway(this.#sandbox);
    await this.#launch();
    const health = await this.client.health({ withoutRecovery: true });
    if (!ACCEPTED_PROTOCOLS.includes(health.protocol)) throw conflict;
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
      await this.#attachAgain();
      this.#isDown = false;
    } catch (error) {
      this.#isDown = true;
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

  /** Starts the gateway, and before it the sandbox if that is why it is gone. */
  async #attachAgain(): Promise<void> {
    try {
      await this.#attach();
    } catch (error) {
      if ((await this.#sandbox.isRunning?.()) !== false) throw error;
      this.#logger.warn('The sandbox has stopped and is started again.', { error });
      await this.startSandbox({ signal: AbortSignal.timeout(SANDBOX_START_MS) });
      await this.#attach();
    }
  }

  /** Whether the gateway is there and knows the token. */
  async #isThere(): Promise<boolean> {
    try {
      await this.client.health({ timeoutMs: LOOK_MS, withoutRecovery: true });
      this.#isDown = false;
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
