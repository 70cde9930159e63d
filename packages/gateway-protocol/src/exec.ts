import { lazy, type ProcessEnd, type ProcessSignal } from '@agent-workspace/core';
import { z } from 'zod';
import type { Problem } from './errors/problem.ts';
import { problemSchema } from './errors/problem.ts';
import type { WireSchema } from './wire-schema.ts';

/*
 *   POST /exec  frames → frames. The first one in is ExecRequest; the raw bytes of it and of those that
 *               follow, headers `{}`, are stdin; the last one has `end: true`.
 *               Out come `output` frames with raw bytes (where `streams`), `alive` frames while there
 *               is nothing else to say, and at last `result` or `problem`. The raw bytes of `result` are
 *               the heads and tails, stdout's head, stdout's tail, stderr's head, stderr's tail.
 *               DELETE /calls/{id} ends the command, whose result then says `aborted`; so does dropping
 *               the connection.
 *
 *   POST   /processes               SpawnRequest → SpawnAnswer
 *   GET    /processes/{id}/output   ?stream=stdout|stderr&offset=N&maxBytes=N&waitMs=N → one frame,
 *                                   OutputHeader with the bytes from `offset` on: as soon as there are any,
 *                                   none after `waitMs`. What is before `offset` is let go of; while 1 MiB
 *                                   waits to be read, the command is not read from.
 *   DELETE /processes/{id}/output   ?stream=… : closes this end of the pipe
 *   PUT    /processes/{id}/stdin    ?end=true|false, raw bytes, at most 1 MiB → StdinAnswer. The bytes are
 *                                   always taken; while `isBlocked`, send no more and ask again with none.
 *   POST   /processes/{id}/signal   SignalRequest → {}
 *   POST   /processes/{id}/end      EndRequest → EndAnswer, without `end` after `waitMs`
 *   POST   /processes/{id}/abort    → {}: begins to end the tree; the process ends as `aborted`
 *   DELETE /processes/{id}          ends the tree, if it runs, and forgets the process → EndAnswer
 *
 * A process belongs to the attachment that started it, and ends with it.
 */

/** Bytes that one stdin request may have, and that wait in the gateway for a reader of each stream. */
export const PROCESS_WINDOW_BYTES: number = 1024 * 1024;

export interface CommandRequest {
  readonly argv: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface ExecRequest extends CommandRequest {
  readonly maxOutputBytes?: number | undefined;
  /** stdin is the raw bytes, of which there may be none; without it stdin is closed from the start. */
  readonly hasStdin: boolean;
  /** Send output as it comes. */
  readonly streams: boolean;
  readonly end?: boolean | undefined;
}

export type SpawnRequest = CommandRequest;

/** What is kept of a stream, without its bytes. */
export interface CapturedHeader {
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly droppedBytes: number;
  readonly totalBytes: number;
}

export type ExecFrame =
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr' }
  | { readonly type: 'alive' }
  | {
      readonly type: 'result';
      readonly end: ProcessEnd;
      readonly durationMs: number;
      readonly stdout: CapturedHeader;
      readonly stderr: CapturedHeader;
    }
  | { readonly type: 'problem'; readonly problem: Problem };

export interface SpawnAnswer {
  readonly id: string;
  readonly pid: number;
  readonly processGroup: number;
}

export interface OutputHeader {
  /** Of the first byte. */
  readonly offset: number;
  /** There is nothing after these bytes. */
  readonly isEnd: boolean;
}

export interface ExecSchemas {
  readonly exec: WireSchema<ExecRequest>;
  readonly execFrame: WireSchema<ExecFrame>;
  readonly spawn: WireSchema<SpawnRequest>;
  readonly spawnAnswer: WireSchema<SpawnAnswer>;
  readonly outputHeader: WireSchema<OutputHeader>;
  readonly stdinAnswer: WireSchema<{ readonly isBlocked: boolean }>;
  readonly signal: WireSchema<{ readonly signal: ProcessSignal }>;
  readonly end: WireSchema<{ readonly waitMs: number }>;
  readonly endAnswer: WireSchema<{ readonly end?: ProcessEnd | undefined }>;
}

export const processEndSchema: () => WireSchema<ProcessEnd> = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('exited'), exitCode: z.number() }),
    z.object({ kind: z.literal('signaled'), signal: z.string() }),
    z.object({ kind: z.literal('timed-out'), timeoutMs: z.number() }),
    z.object({ kind: z.literal('aborted') }),
  ]),
);

export const execSchemas: () => ExecSchemas = lazy(() => {
  const command = {
    argv: z.array(z.string()),
    cwd: z.string().optional(),
    env: z.record(z.string(), z.string()).optional(),
    timeoutMs: z.number().optional(),
  };
  const stream = z.enum(['stdout', 'stderr']);
  const size = z.number().int().min(0);
  const captured = z.object({ headBytes: size, tailBytes: size, droppedBytes: size, totalBytes: size });
  const end = processEndSchema() as z.ZodType<ProcessEnd>;
  return {
    exec: z.object({
      ...command,
      maxOutputBytes: z.number().min(0).optional(),
      hasStdin: z.boolean(),
      streams: z.boolean(),
      end: z.boolean().optional(),
    }),
    execFrame: z.discriminatedUnion('type', [
      z.object({ type: z.literal('output'), stream }),
      z.object({ type: z.literal('alive') }),
      z.object({ type: z.literal('result'), end, durationMs: z.number(), stdout: captured, stderr: captured }),
      z.object({ type: z.literal('problem'), problem: problemSchema() as z.ZodType<Problem> }),
    ]),
    spawn: z.object(command),
    spawnAnswer: z.object({ id: z.string(), pid: z.number(), processGroup: z.number() }),
    outputHeader: z.object({ offset: size, isEnd: z.boolean() }),
    stdinAnswer: z.object({ isBlocked: z.boolean() }),
    signal: z.object({
      signal: z.enum(['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']),
    }),
    end: z.object({ waitMs: size }),
    endAnswer: z.object({ end: end.optional() }),
  };
});
