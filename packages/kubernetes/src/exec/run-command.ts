import { buffer } from 'node:stream/consumers';
import { KubernetesRefusedError } from '@agent-workspace/core';
import type { SandboxRunOptions, SandboxRunResult } from '@agent-workspace/gateway-client';
import { translateError } from '../cluster/translate-error.ts';
import { type ExecStatus, ExecStream, type PodReference } from './exec-stream.ts';

export interface RunCommandOptions extends Omit<SandboxRunOptions, 'stdin'> {
  /** Written to stdin, which is then ended where the cluster can. */
  readonly stdin?: string | Uint8Array | undefined;
}

/** A command of the bootstrap takes a second; without an answer in this time there is none. */
const COMMAND_MS = 60_000;

/**
 * Runs a short command in a Pod, to its end. It has to read its stdin: much that it leaves there keeps the cluster
 * from telling how it ended.
 *
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, and the signal's reason
 */
export async function runCommand(
  pod: PodReference,
  argv: readonly string[],
  { stdin = '', signal }: RunCommandOptions = {},
): Promise<SandboxRunResult> {
  // A command that reads nothing may be over before it could be told of the end of its stdin.
  const hasStdin = stdin.length > 0;
  return await talkToCommand(pod, argv, { hasStdin, signal }, async (stream) => {
    stream.end(hasStdin ? stdin : undefined);
    return (await buffer(stream)).toString('utf8');
  });
}

export interface TalkOptions {
  readonly hasStdin?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a short command in a Pod, which is talked to meanwhile.
 *
 * @param talk reads all that the command says, and returns what is its output
 * @throws `kubernetes-refused`, `kubernetes-unavailable`, what `talk` throws, and the signal's reason
 */
export async function talkToCommand(
  pod: PodReference,
  argv: readonly string[],
  { hasStdin, signal }: TalkOptions,
  talk: (stream: ExecStream) => Promise<string>,
): Promise<SandboxRunResult> {
  const deadline = AbortSignal.timeout(COMMAND_MS);
  const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const { server } = pod.connection;
  const operation = `run a command in the Pod ${pod.name}`;
  const stream = await ExecStream.open(pod, argv, { signal: either, hasStdin });
  const abort = (): void => void stream.destroy(either.reason as Error);
  either.addEventListener('abort', abort, { once: true });
  try {
    either.throwIfAborted();
    const stdout = await talk(stream);
    return { exitCode: exitCodeOf(stream.status ?? {}, operation), stdout, stderr: stream.stderr };
  } catch (error) {
    signal?.throwIfAborted();
    throw translateError(error, operation, server);
  } finally {
    either.removeEventListener('abort', abort);
    stream.destroy();
  }
}

/** @throws `kubernetes-refused` where the command was not run at all */
function exitCodeOf({ status, reason, message, code, details }: ExecStatus, operation: string): number {
  if (status === 'Success') return 0;
  const exit = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && exit !== undefined) return Number(exit);
  throw new KubernetesRefusedError({
    operation,
    reason: message ?? 'it gave no reason',
    status: code ?? 500,
    statusReason: reason,
  });
}
