import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '@agent-workspace/core';
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
import { prepareAndRun, putContent } from './bootstrap/prepare.ts';
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
import { findPod } from './pod/find-pod.ts';
import { readPod } from './pod/follow-pod.ts';
import { type PodIdentity, podName, STANDALONE } from './pod/identity.ts';
import { CONTAINER, createClaim, createPod } from './pod/pod-spec.ts';
import { podState } from './pod/pod-state.ts';
import { removeClaim, removePod } from './pod/remove-pod.ts';
import { findOrCreatePod, type FoundPod, takeBack } from './pod/workspace-pod.ts';
import { listenHost, openTransport } from './transport/open-transport.ts';
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

/** As many as calls may still ask for. */
const MAX_ENDS = 8;

/** The Pod of a workspace, and its claim. */
export class KubernetesSandbox implements Sandbox {
  readonly kind = 'kubernetes';
  readonly workdir: string = WORKDIR;
  readonly isPersistent: boolean;
  readonly gateway: GatewayInstallation;
  readonly startTimeoutMs: number;
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
    this.startTimeoutMs = options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
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
    // What is told of it may lag behind that it has started.
    return now !== undefined && isSame(now, pod) && ['starting', 'running'].includes(podState(now).kind);
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

  /**
   * Removes the Pod, and waits until it is gone. The claim stays, unless it is to go. A Pod that another host has made
   * anew is that host's, with the claim: of ours, which is gone, it is not known who else was attached.
   */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { connection, pod } = running;
    const { logger } = this.#options;
    const end = await removePod(connection, pod, { logger });
    if (end === 'replaced') this.#madeClaim = false;
    else if (!this.isPersistent) await this.#removeClaim(connection);
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
    const { startTimeoutMs } = this;
    const { logger } = this.#options;
    const identity = this.#identity;
    const connection = await this.#connect();
    const wanted = { pod: createPod(identity, this.#options), claim: createClaim(identity, this.#options) };
    const hadClaim = this.#hadClaim;
    for (;;) {
      const found = await findOrCreatePod(connection, wanted, {
        identity,
        hadClaim,
        signal,
        timeoutMs: startTimeoutMs,
        logger,
        onEnded: (pod) => this.#noteEnd(pod),
      });
      try {
        return await this.#startIn(connection, found, command, signal);
      } catch (error) {
        await takeBack(connection, found, logger);
        signal.throwIfAborted();
        // One that was found may have been ended by its last host since.
        if (found.isNew || (await isThere(connection, found.pod))) throw error;
        logger.warn('A Pod that was found has gone, and is made anew.', { pod: found.pod.metadata?.name, error });
      }
    }
  }

  async #startIn(
    connection: ClusterConnection,
    found: FoundPod,
    command: SandboxCommand | undefined,
    signal: AbortSignal,
  ): Promise<SandboxStartedWith> {
    const { startTimeoutMs: timeoutMs } = this;
    const { image = DEFAULT_IMAGE, user, transport: asked, logger } = this.#options;
    const { pod, isNew, claim } = found;
    await awaitRunning(connection, pod, { claimUid: claim.claim.metadata?.uid, signal, timeoutMs, logger });
    const reference = { connection, name: pod.metadata?.name ?? '', container: CONTAINER };
    const { uid, gid } = parseUser(user);
    const preparation = { image, user: `${uid}:${gid}`, signal, timeoutMs };
    const { ran, address, oomKills } = await prepareAndRun(reference, command ?? NOTHING, preparation);
    const transport = await openTransport(reference, {
      asked,
      port: this.#port,
      // An agent may have been in one that was found, and so the cluster alone tells its address.
      address: isNew ? address : undefined,
      isUp: command !== undefined && ran.exitCode === 0,
      signal,
      logger,
    });
    this.#running = { connection, pod, transport, tally: { kills: oomKills } };
    this.#hadClaim = true;
    this.#madeClaim = claim.isNew;
    return { start: startOf(found), ran: command === undefined ? undefined : ran };
  }

  #noteEnd(pod: V1Pod): void {
    const { uid = '' } = pod.metadata ?? {};
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(uid, whatIsTold(pod, uid) ?? WAS_DELETED);
  }
}

function isSame(one: V1Pod, other: V1Pod): boolean {
  return one.metadata?.uid === other.metadata?.uid;
}

/** Whether it is still that one, and is to stay. */
async function isThere(connection: ClusterConnection, pod: V1Pod): Promise<boolean> {
  const now = await readPod(connection, pod.metadata?.name ?? '');
  return now !== undefined && isSame(now, pod) && podState(now).kind !== 'leaving';
}

/** With a claim that was there, it is one that was stopped. */
function startOf({ isNew, claim }: FoundPod): SandboxStart {
  if (!isNew) return 'found';
  return claim.isNew ? 'created' : 'started';
}
