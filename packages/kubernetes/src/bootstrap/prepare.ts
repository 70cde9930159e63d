import { setTimeout } from 'node:timers/promises';
import { KubernetesRefusedError, PodStartFailedError, WorkdirNotWritableError } from '@agent-workspace/core';
import type { SandboxCommand, SandboxRunResult } from '@agent-workspace/gateway-client';
import type { PodReference } from '../exec/exec-stream.ts';
import { runCommand, talkToCommand } from '../exec/run-command.ts';
import { gatewayFiles, type Machine } from './gateway-files.ts';
import { BAKED_DIRECTORY, OWN_DIRECTORY, WORKDIR } from './layout.ts';
import { LineReader } from './line-reader.ts';
import { FACTS_MARK, PREPARE_SCRIPT, PUT_SCRIPT, SEND_MARK } from './scripts.ts';

/** The oldest Node that the gateway runs on. */
const OLDEST_NODE = 20;

/** A container that has just started takes a moment until commands can be run in it. */
const RETRY_MS = 50;

const MACHINES: Readonly<Record<string, Machine>> = { x86_64: 'x86_64', aarch64: 'aarch64', arm64: 'aarch64' };

export interface PrepareOptions {
  /** For messages. */
  readonly image: string;
  /** For messages, as `uid:gid`. */
  readonly user: string;
  readonly signal: AbortSignal;
  /** For a container that has started to run commands, in milliseconds. */
  readonly timeoutMs: number;
}

export interface Prepared {
  /** What became of the command. */
  readonly ran: SandboxRunResult;
  /** The Pod's address, by its own words. */
  readonly address: string | undefined;
  /** Processes that were killed so far since there was no memory left. */
  readonly oomKills: number;
}

/**
 * Runs a command in a Pod, with all of the gateway in its place: what neither the image has nor was put there before
 * is sent on the way. That is one exec.
 *
 * @throws `pod-start-failed` for an image that the gateway does not run in, `workdir-not-writable`, `kubernetes-refused`
 */
export async function prepareAndRun(
  pod: PodReference,
  command: SandboxCommand,
  options: PrepareOptions,
): Promise<Prepared> {
  const { signal, timeoutMs } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await prepareOnce(pod, command, options);
    } catch (error) {
      signal.throwIfAborted();
      // The node may tell that a container has started before it runs commands in it.
      const isEarly = KubernetesRefusedError.isInstance(error) && /container not found/.test(error.details.reason);
      if (!isEarly || performance.now() > deadline) throw error;
    }
    await setTimeout(RETRY_MS, undefined, { signal });
  }
}

async function prepareOnce(
  pod: PodReference,
  { argv, stdin }: SandboxCommand,
  { image, user, signal }: Omit<PrepareOptions, 'timeoutMs'>,
): Promise<Prepared> {
  const { program, ripgrep } = await gatewayFiles();
  const files = [program, ripgrep.x86_64, ripgrep.aarch64].flatMap(({ hash, content }) => [hash, `${content.length}`]);
  const parameters = ['sh', '-c', PREPARE_SCRIPT, 'sh', OWN_DIRECTORY, BAKED_DIRECTORY, ...files, ...argv];
  let facts = NOTHING;
  const ran = await talkToCommand(pod, parameters, { signal }, async (stream) => {
    stream.write(stdin === '' ? '\n' : stdin);
    const said = new LineReader(stream);
    facts = readFacts(await said.line());
    checkNode(pod, facts, image);
    checkOwner(facts, user);
    for (const name of facts.missing) {
      // Else it has failed, and says so by its exit code.
      if ((await said.line()) !== `${SEND_MARK} ${name}`) break;
      const machine = MACHINES[facts.machine];
      stream.write(name === 'rg' && machine !== undefined ? ripgrep[machine].content : program.content);
    }
    return await said.rest();
  });
  return { ran, address: facts.address, oomKills: facts.oomKills };
}

interface Facts {
  readonly machine: string;
  readonly node: string;
  readonly address: string | undefined;
  readonly missing: readonly string[];
  /** Of the directory, where this user may not write to it. */
  readonly owner: string | undefined;
  readonly oomKills: number;
}

const NOTHING: Facts = { machine: '', node: '-', address: undefined, missing: [], owner: undefined, oomKills: 0 };

function readFacts(line: string): Facts {
  const [mark, machine = '', node = '-', address = '-', missing = '-', owner = '-', oom = '0'] = line.split(' ');
  if (mark !== FACTS_MARK) return NOTHING;
  return {
    machine,
    node,
    address: address === '-' ? undefined : address,
    missing: missing.split(',').filter((name) => name === 'gateway.cjs' || name === 'rg'),
    owner: owner === '-' ? undefined : owner,
    oomKills: Number(oom),
  };
}

/** One that has not told of its node ended for another reason, which whoever runs the command tells. */
function checkNode({ connection, name }: PodReference, { machine, node }: Facts, image: string): void {
  const major = Number(/^v(\d+)\./.exec(node)?.[1] ?? 0);
  if (machine === '' || major >= OLDEST_NODE) return;
  const found = node === '-' ? 'has no node that runs' : `has Node ${node}`;
  throw new PodStartFailedError({
    pod: `${connection.namespace}/${name}`,
    reason: 'ImageUnsuitable',
    explanation: `its image ${image} ${found}, and the gateway needs ${OLDEST_NODE} or later; take one that has it, or one that @agent-workspace/docker has built`,
  });
}

/** Of volumes whose kind knows nothing of `fsGroup`. */
function checkOwner({ owner }: Facts, user: string): void {
  if (owner !== undefined) throw new WorkdirNotWritableError({ workdir: WORKDIR, owner, user });
}

export interface PutContentOptions {
  /** In the Pod, absolute. Directories on the way are made. */
  readonly path: string;
  readonly content: Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: string;
  readonly mode: number;
  readonly signal?: AbortSignal | undefined;
}

/** Puts a file into a Pod, once all of it has come. @throws `pod-start-failed`, `kubernetes-refused` */
export async function putContent(pod: PodReference, options: PutContentOptions): Promise<void> {
  const { path, content, hash, mode, signal } = options;
  const parameters = [path, String(content.length), hash, mode.toString(8)];
  const { exitCode, stderr } = await runCommand(pod, ['sh', '-c', PUT_SCRIPT, 'sh', ...parameters], {
    stdin: content,
    signal,
  });
  if (exitCode === 0) return;
  throw new PodStartFailedError({
    pod: `${pod.connection.namespace}/${pod.name}`,
    reason: 'FileNotPut',
    explanation: `${path} could not be put into it: ${stderr.trim() || `exit code ${exitCode}`}`,
  });
}
