import { GatewayUnreachableError, type Logger, type WorkspaceError, WorkspaceLostError } from '@agent-workspace/core';
import { ATTACHMENT_RENEWAL_MS } from '@agent-workspace/gateway-protocol';
import { GatewayClient, type GatewayClientOptions } from '../gateway-client.ts';
import { GatewayAttachment } from './gateway-attachment.ts';
import { inTime } from './in-time.ts';
import { RestartLimit } from './restart-limit.ts';
import type { Sandbox, SandboxStart } from './sandbox.ts';

/** For a gateway that is asked whether it is there. */
const LOOK_MS = 2_000;
/** For a sandbox that has stopped to run again, where it does not say itself. */
const SANDBOX_START_MS = 120_000;
/** For what the engine does before and after it waits for that, so that its own reason is what is told. */
const SANDBOX_GRACE_MS = 60_000;

export interface GatewayKeeperOptions {
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  /** How it is talked to. Default `connections`: the sandbox's. */
  readonly client?: Pick<GatewayClientOptions, 'deadlines' | 'connections' | 'headers' | 'host'> | undefined;
}

/**
 * Keeps this host attached to the gateway of a sandbox: starts it, renews the attachment, and brings
 * a gateway that died back, with a new token each time.
 */
export class GatewayKeeper {
  readonly #options: GatewayKeeperOptions;
  readonly #sandbox: Sandbox;
  readonly #logger: Logger;
  readonly #restarts: RestartLimit = new RestartLimit();
  readonly #attachment: GatewayAttachment;
  #isClosing = false;
  #client: GatewayClient | undefined;
  #found: SandboxStart | undefined;
  #isDown = false;
  #recovering: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** Why there is no way back. */
  #giveUp: WorkspaceError | undefined;

  constructor(options: GatewayKeeperOptions) {
    this.#options = options;
    this.#sandbox = options.sandbox;
    this.#logger = options.logger;
    this.#attachment = new GatewayAttachment({
      sandbox: options.sandbox,
      client: () => this.client,
      onRestart: () => this.#restarts.add(),
    });
  }

  /** The same for as long as this host is attached. */
  get attachmentId(): string {
    return this.#attachment.id;
  }

  /** Talks to the gateway, once the sandbox has been started. */
  get client(): GatewayClient {
    const { sandbox, logger, client } = this.#options;
    this.#client ??= new GatewayClient({
      connections: sandbox.connections,
      ...sandbox.route,
      ...client,
      connect: sandbox.connect,
      token: () => this.#attachment.token,
      recover: (reason) => this.#recover(reason),
      logger,
    });
    return this.#client;
  }

  /** Whether the gateway is out of reach: for good, or since it could not be brought back the last time. */
  get isLost(): boolean {
    return this.#giveUp !== undefined || this.#isDown;
  }

  /** What the last start of the sandbox found. */
  get found(): SandboxStart | undefined {
    return this.#found;
  }

  /** Starts the sandbox, with the gateway where its engine does both at once. */
  async startSandbox(options: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    this.#found = await this.#attachment.startSandbox(options);
    return this.#found;
  }

  /**
   * Attaches. A sandbox that has stopped since it was found, as another host was the last one out of it, is
   * started once more.
   *
   * @throws `gateway-start-failed`, `gateway-version-conflict`, `gateway-unreachable`, `gateway-timeout`, and what
   * the sandbox throws
   */
  async start(options: { readonly signal: AbortSignal }): Promise<void> {
    try {
      await this.#attachment.attachFirst(options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(await this.#hasStopped())) throw error;
      this.#logger.warn('The sandbox has stopped before it was attached to, and is started again.', { error });
      await this.startSandbox(options);
      await this.#attachment.attachFirst(options);
    }
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
      return await this.#attachment.detach();
    } catch (error) {
      this.#logger.warn('Could not detach from a gateway.', { error });
      return 0;
    } finally {
      await this.client.close();
    }
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
    this.#giveUp = this.#restarts.reached();
    if (this.#giveUp !== undefined) throw this.#giveUp;
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

  /**
   * Starts the gateway, and before it the sandbox if that is why it is gone. The sandbox is asked after even where
   * there was a gateway to attach to: that may run in another one of the same name, which another host has made,
   * and which `stop()` would not end.
   */
  async #attachAgain(): Promise<void> {
    const failure = await this.#attachment.attach().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (await this.#hasStopped()) {
      this.#logger.warn('The sandbox has stopped and is started again.', { ...failure });
      const timeoutMs = (this.#sandbox.startTimeoutMs ?? SANDBOX_START_MS) + SANDBOX_GRACE_MS;
      await inTime({ what: 'the start of its sandbox', timeoutMs }, (signal) => this.startSandbox({ signal }));
      await this.#attachment.attachFirst();
    } else if (failure !== undefined) {
      throw failure.error;
    }
  }

  /** Whether the engine says that the sandbox runs no more. */
  async #hasStopped(): Promise<boolean> {
    try {
      return (await this.#sandbox.isRunning?.()) === false;
    } catch (error) {
      this.#logger.warn('Could not find out whether the sandbox runs.', { error });
      return false;
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
      await this.#attachment.renew();
    } catch (error) {
      if (this.#isClosing) return;
      await this.#recover(error as WorkspaceError).catch((failure: unknown) =>
        this.#logger.warn('Could not renew the attachment to a gateway.', { error: failure }),
      );
    }
  }
}
