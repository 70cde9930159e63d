import type { Agent, RequestOptions } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { KubernetesRefusedError, KubernetesUnavailableError } from '@agent-workspace/core';
import type {
  ConfigurationOptions,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  NetworkingV1Api,
  ObservableMiddleware,
  RequestContext,
} from '@kubernetes/client-node';
import type { KubernetesConnectionOptions } from './connection-options.ts';
import { type KubernetesClient, loadClient, loadConfig } from './load-config.ts';
import { translateError } from './translate-error.ts';

export interface ClusterCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for it. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** A busy API server takes a second; one that takes this long does not answer. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Certificates and keys are looked at again after this time, since they are renewed in their files. */
const DISPATCHER_MS = 60_000;

/** An API server that has too much to do says so, and has done nothing. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const BUSY_ATTEMPTS = 5;
const BUSY_MS = 250;

type Dispatcher = ReturnType<RequestContext['getDispatcher']>;

/**
 * A cluster and a namespace of it, by whose client everything is asked. Its requests share connections, have a
 * deadline, and fail with errors of ours.
 */
export class ClusterConnection {
  /** The address of the API server. */
  readonly server: string;
  readonly namespace: string;
  readonly #client: KubernetesClient;
  readonly #config: KubeConfig;
  #core: CoreV1Api | undefined;
  #coordination: CoordinationV1Api | undefined;
  #networking: NetworkingV1Api | undefined;
  #dispatcher: Dispatcher;
  #dispatcherSince = -Infinity;

  /**
   * Reads the kubeconfig. Nothing is asked of the cluster yet.
   *
   * @throws `kubernetes-options-invalid`, `kubernetes-unavailable`
   */
  static async open(options: KubernetesConnectionOptions = {}): Promise<ClusterConnection> {
    const client = await loadClient();
    const config = await loadConfig(client, options);
    const { namespace = config.getContextObject(config.getCurrentContext())?.namespace } = options;
    return new ClusterConnection(client, config, namespace?.trim() || 'default');
  }

  private constructor(client: KubernetesClient, config: KubeConfig, namespace: string) {
    this.#client = client;
    this.#config = config;
    this.server = config.getCurrentCluster()?.server ?? '';
    this.namespace = namespace;
  }

  /** Pods, claims, events. */
  get core(): CoreV1Api {
    this.#core ??= this.#config.makeApiClient(this.#client.CoreV1Api);
    return this.#core;
  }

  /** Leases. */
  get coordination(): CoordinationV1Api {
    this.#coordination ??= this.#config.makeApiClient(this.#client.CoordinationV1Api);
    return this.#coordination;
  }

  /** Policies. */
  get networking(): NetworkingV1Api {
    this.#networking ??= this.#config.makeApiClient(this.#client.NetworkingV1Api);
    return this.#networking;
  }

  /**
   * Makes one request. One that a busy server has turned away is made again, a few times.
   *
   * @param operation what is asked, as it reads after "did not"
   * @param request given what has to go with the client's method, after its parameters
   * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
   */
  async call<T>(
    operation: string,
    request: (options: ConfigurationOptions) => Promise<T>,
    { signal, timeoutMs = REQUEST_TIMEOUT_MS }: ClusterCallOptions = {},
  ): Promise<T> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    for (let attempt = 1; ; attempt += 1) {
      try {
        either.throwIfAborted();
        return await request(this.#requestOptions(either));
      } catch (error) {
        if (either.aborted) this.#forgetDispatcher();
        signal?.throwIfAborted();
        if (deadline.aborted) {
          const reason = `it did not ${operation} within ${timeoutMs} ms`;
          throw new KubernetesUnavailableError({ server: this.server, reason }, { cause: error });
        }
        const translated = translateError(error, operation, this.server);
        const isBusy = KubernetesRefusedError.isInstance(translated) && BUSY.has(translated.details.status);
        if (!isBusy || attempt === BUSY_ATTEMPTS) throw translated;
      }
      await setTimeout(attempt * BUSY_MS, undefined, { signal: either }).catch(() => undefined);
    }
  }

  /** What a connection of one's own to the API server needs: the agent, certificates and headers. */
  async connectionOptions(): Promise<RequestOptions> {
    const options: RequestOptions = {};
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw translateError(error, 'take the credentials', this.server);
    }
    leaveCertificatesToRequests(options);
    return options;
  }

  #requestOptions(signal: AbortSignal): ConfigurationOptions {
    const { Observable } = this.#client;
    const middleware: ObservableMiddleware = {
      pre: (context) => {
        context.setSignal(signal);
        const dispatcher = this.#shared(context.getDispatcher());
        if (dispatcher !== undefined) context.setDispatcher(dispatcher);
        return new Observable(Promise.resolve(context));
      },
      post: (response) => new Observable(Promise.resolve(response)),
    };
    return { middleware: [middleware], middlewareMergeStrategy: 'append' };
  }

  /** Its one connection, which all requests share, may be dead without anybody having been told. */
  #forgetDispatcher(): void {
    this.#dispatcherSince = -Infinity;
  }

  /** The client makes a dispatcher, and with it a connection, for each request; one serves many. */
  #shared(made: Dispatcher): Dispatcher {
    const now = performance.now();
    if (now - this.#dispatcherSince > DISPATCHER_MS) {
      this.#dispatcher = made;
      this.#dispatcherSince = now;
    }
    return this.#dispatcher;
  }
}

/**
 * The client has one agent for good, and what an agent was made with goes before what a request brings, which has the
 * certificates of now.
 */
function leaveCertificatesToRequests({ agent }: RequestOptions): void {
  if (typeof agent !== 'object') return;
  const { options } = agent as Agent;
  delete options.ca;
  delete options.cert;
  delete options.key;
}
