import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { KubernetesRefusedError, type Logger } from '@agent-workspace/core';
import {
  type Connector,
  type GatewayInstallation,
  type Sandbox,
  type SandboxCommand,
  type SandboxFile,
  type SandboxRunOptions,
  type SandboxRunResult,
  type SandboxStart,
  type SandboxStartedWith,
  unreachable,
} from '@agent-workspace/gateway-client';
import type { V1Pod } from '@kubernetes/client-node';
import { GATEWAY_PATHS, GATEWAY_SOCKET, OWN_DIRECTORY, WORKDIR } from './bootstrap/layout.ts';
import { prepareAndRun, type Prepared, putContent } from './bootstrap/prepare.ts';
import { ENTER_SCRIPT } from './bootstrap/scripts.ts';
import { ClusterConnection } from './cluster/cluster-connection.ts';
import type { PodReference } from './exec/exec-stream.ts';
import { runCommand } from './exec/run-command.ts';
import {
  checkPodOptions,
  DEFAULT_GATEWAY_PORT,
  DEFAULT_IMAGE,
  DEFAULT_START_TIMEOUT_MS,
  type KubernetesPodOptions,
  parseUser,
} from './kubernetes-options.ts';
import { type OomTally, WAS_DELETED, whatIsTold, whyLost } from './life/why-lost.ts';
import { awaitRunning } from './pod/await-running.ts';
import { readPod } from './pod/follow-pod.ts';
import { type PodIdentity, podName, STANDALONE } from './pod/identity.ts';
import { CONTAINER, createClaim, createPod } from './pod/pod-spec.ts';
import { podState } from './pod/pod-state.ts';
import { removeClaim, removePod } from './pod/remove-pod.ts';
import { findOrCreatePod, findPod, type FoundPod, takeBack } from './pod/workspace-pod.ts';
import { chooseTransport } from './transport/choose-transport.ts';
import { ExecTransport } from './transport/exec-transport.ts';
import { PodIpTransport } from './transport/pod-ip-transport.ts';
import { PortForwardTransport } from './transport/port-forward-transport.ts';
import type { Transport, TransportKind } from './transport/transport.ts';

export interface KubernetesSandboxOptions extends KubernetesPodOptions {
  readonly workspaceId: string;
  readonly logger: Logger;
}

interface Running {
  readonly connection: ClusterConnection;
  readonly pod: V1Pod;
  readonly transport: Transport;
  readonly tally: OomTally;
  /** Calls that were cut at the same time ask once. */
  asking?: Promise<string | undefined> | undefined;
}

/** What a start without a command runs. */
const NOTHING: SandboxCommand = { argv: ['true'], stdin: '' };

/** A container that has just started takes a moment until commands can be run in it. */
const RETRY_MS = 50;

/** As many as calls may still ask for. */
const MAX_ENDS = 8;

/** The Pod of a workspace, and its claim. */
export class KubernetesSandbox implements Sandbox {
  readonly kind = 'kubernetes';
  readonly workdir: string = WORKDIR;
  readonly isPersistent: boolean;
  readonly gateway: GatewayInstallation;
  readonly #options: KubernetesSandboxOptions;
  readonly #identity: PodIdentity;
  #connection: Promise<ClusterConnection> | undefined;
  #running: Running | undefined;
  /** It was started before, and has had a claim since. */
  #hadClaim = false;
  #madeClaim = false;
  /** What became of the Pods that were made anew, by their ids. */
  readonly #ends = new Map<string, string>();

  /** @throws `kubernetes-options-invalid` */
  constructor(options: KubernetesSandboxOptions) {
    checkPodOptions(options);
    const { managerId = STANDALONE, workspaceId, transport, deleteVolumeOnClose = false } = options;
    this.#options = options;
    this.#identity = { managerId, workspaceId };
    // What a patch breaks is said before anything is made.
    createPod(this.#identity, options);
    this.isPersistent = !deleteVolumeOnClose;
    const port = String(this.#port);
    this.gateway = {
      ...GATEWAY_PATHS,
      listen: transport === 'exec' ? ['--socket', GATEWAY_SOCKET] : ['--port', port, '--host', listenHost(transport)],
    };
  }

  get #port(): number {
    return this.#options.gatewayPort ?? DEFAULT_GATEWAY_PORT;
  }

  /** How the gateway is reached, once it has started. */
  get transport(): TransportKind | undefined {
    return this.#running?.transport.kind;
  }

  /** Connections that short requests may share. */
  get connections(): number {
    return this.#use().transport.connections;
  }

  async start(options: { readonly signal: AbortSignal }): Promise<SandboxStart> {
    return (await this.#start(undefined, options)).start;
  }

  startWith(command: SandboxCommand, options: { readonly signal: AbortSignal }): Promise<SandboxStartedWith> {
    return this.#start(command, options);
  }

  async isRunning(): Promise<boolean> {
    const { connection, pod } = this.#use();
    const now = await readPod(connection, pod.metadata?.name ?? '');
    return now !== undefined && now.metadata?.uid === pod.metadata?.uid && podState(now).kind === 'running';
  }

  /** Of the Pod that runs, or ran last. */
  get podUid(): string | undefined {
    return this.#running?.pod.metadata?.uid;
  }

  /** Why what ran in a Pod of this workspace has ended, where the Pod is why. Takes some seconds at the most. */
  async whyLost(uid: string | undefined): Promise<string | undefined> {
    const running = this.#running;
    if (uid === undefined || running === undefined) return undefined;
    if (running.pod.metadata?.uid !== uid) return this.#ends.get(uid) ?? WAS_DELETED;
    running.asking ??= whyLost(this.#reference(), { uid, tally: running.tally }).finally(() => {
      running.asking = undefined;
    });
    const why = await running.asking;
    // It may have been made anew while it was asked about.
    return this.#ends.get(uid) ?? why;
  }

  async run(argv: readonly string[], options: SandboxRunOptions = {}): Promise<SandboxRunResult> {
    return runCommand(this.#reference(), ['sh', '-c', ENTER_SCRIPT, 'sh', OWN_DIRECTORY, ...argv], options);
  }

  async putFile({ path, source, mode = 0o644 }: SandboxFile): Promise<void> {
    const content = await readFile(source);
    const hash = createHash('sha256').update(content).digest('hex');
    await putContent(this.#reference(), { path, content, hash, mode });
  }

  readonly connect: Connector = (options) => this.#use().transport.connect(options);

  /** Removes the Pod, and waits until it is gone. The claim stays, unless it is to go. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { connection, pod } = running;
    const { logger } = this.#options;
    await removePod(connection, pod, { logger });
    if (!this.isPersistent) await this.#removeClaim(connection);
    // No sooner: what was refused is asked for again by the next call.
    this.#running = undefined;
  }

  /** Takes back what `start()` made: the Pod, and the claim where that was new. */
  async destroy(): Promise<void> {
    await this.stop();
    if (this.#madeClaim) await this.#removeClaim(await this.#connect());
  }

  /** Removes the Pod and the claim, whoever made them. */
  async removeData(): Promise<void> {
    const { logger } = this.#options;
    await this.stop();
    const connection = await this.#connect();
    const left = await findPod(connection, this.#identity);
    if (left !== undefined) await removePod(connection, left, { logger });
    await this.#removeClaim(connection);
  }

  #use(): Running {
    if (this.#running === undefined) throw unreachable('its Pod is not started');
    return this.#running;
  }

  #reference(): PodReference {
    const { connection, pod } = this.#use();
    return { connection, name: pod.metadata?.name ?? '', container: CONTAINER };
  }

  /** Read once: where it is and who asks does not change while a workspace is open. */
  async #connect(): Promise<ClusterConnection> {
    this.#connection ??= ClusterConnection.open(this.#options);
    try {
      return await this.#connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async #removeClaim(connection: ClusterConnection): Promise<void> {
    await removeClaim(connection, podName(this.#identity));
    this.#hadClaim = false;
    this.#madeClaim = false;
  }

  async #start(
    command: SandboxCommand | undefined,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<SandboxStartedWith> {
    const { logger, startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = this.#options;
    const identity = this.#identity;
    const connection = await this.#connect();
    const wanted = { pod: createPod(identity, this.#options), claim: createClaim(identity, this.#options) };
    const hadClaim = this.#hadClaim;
    const found = await findOrCreatePod(connection, wanted, {
      identity,
      hadClaim,
      signal,
      logger,
      onEnded: (pod) => this.#noteEnd(pod),
    });
    try {
      const claimUid = found.claim.claim.metadata?.uid;
      await awaitRunning(connection, found.pod, { claimUid, signal, timeoutMs: startTimeoutMs, logger });
      const prepared = await this.#prepare(connection, found.pod, command ?? NOTHING, signal);
      const transport = await this.#choose(connection, found, prepared, { signal, isUp: command !== undefined });
      this.#running = { connection, pod: found.pod, transport, tally: { kills: prepared.oomKills } };
      this.#hadClaim = true;
      this.#madeClaim = found.claim.isNew;
      return { start: startOf(found), ran: command === undefined ? undefined : prepared.ran };
    } catch (error) {
      await takeBack(connection, found, logger);
      throw error;
    }
  }

  #noteEnd(pod: V1Pod): void {
    const { uid = '' } = pod.metadata ?? {};
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(uid, whatIsTold(pod, uid) ?? WAS_DELETED);
  }

  /** The node may tell that a container has started before it runs commands in it. */
  async #prepare(
    connection: ClusterConnection,
    pod: V1Pod,
    command: SandboxCommand,
    signal: AbortSignal,
  ): Promise<Prepared> {
    const { image = DEFAULT_IMAGE, startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = this.#options;
    const { uid, gid } = parseUser(this.#options.user);
    const reference = { connection, name: pod.metadata?.name ?? '', container: CONTAINER };
    const deadline = performance.now() + startTimeoutMs;
    for (;;) {
      try {
        return await prepareAndRun(reference, command, { image, user: `${uid}:${gid}`, signal });
      } catch (error) {
        signal.throwIfAborted();
        const isEarly = KubernetesRefusedError.isInstance(error) && /container not found/.test(error.details.reason);
        if (!isEarly || performance.now() > deadline) throw error;
      }
      await setTimeout(RETRY_MS, undefined, { signal });
    }
  }

  async #choose(
    connection: ClusterConnection,
    { pod, isNew }: FoundPod,
    { ran, address }: Prepared,
    { signal, isUp }: { readonly signal: AbortSignal; readonly isUp: boolean },
  ): Promise<Transport> {
    const { transport: asked, logger } = this.#options;
    const reference = { connection, name: pod.metadata?.name ?? '', container: CONTAINER };
    const port = this.#port;
    const forward = new PortForwardTransport({ pod: reference, port });
    const exec = new ExecTransport({ pod: reference, port });
    if (asked === 'port-forward') return forward;
    if (asked === 'exec') return exec;
    // An agent may have been in one that was found, and so the cluster alone tells its address.
    const host = isNew && address !== undefined ? address : await this.#address(connection, pod, signal);
    const direct = new PodIpTransport({ host, port });
    if (asked === 'pod-ip') return direct;
    if (!isUp || ran.exitCode !== 0) return exec;
    return chooseTransport([direct, forward, exec], { signal, logger });
  }

  async #address(connection: ClusterConnection, pod: V1Pod, signal: AbortSignal): Promise<string> {
    const name = pod.metadata?.name ?? '';
    for (;;) {
      const address = (await readPod(connection, name, { signal }))?.status?.podIP;
      if (address !== undefined) return address;
      await setTimeout(RETRY_MS, undefined, { signal });
    }
  }
}

/** A forwarded port leads to the Pod's own loopback; its address is on a network. */
function listenHost(transport: TransportKind | undefined): string {
  return transport === 'port-forward' ? '127.0.0.1' : '0.0.0.0';
}

/** With a claim that was there, it is one that was stopped. */
function startOf({ isNew, claim }: FoundPod): SandboxStart {
  if (!isNew) return 'found';
  return claim.isNew ? 'created' : 'started';
}
