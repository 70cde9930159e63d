import { posix } from 'node:path';
import {
  type BackgroundProcess,
  type BackgroundState,
  lazy,
  type ListBackgroundOptions,
  type StartBackgroundOptions,
} from '@agent-workspace/core';
import { z } from 'zod';
import { MAX_WAIT_MS } from '../protocol.ts';
import { whenUsed } from '../wire-schema.ts';
import type { BackgroundReference, Operation } from './operation.ts';

/** A background command without its methods. */
export type BackgroundRecord = Omit<BackgroundProcess, 'state' | 'stop' | 'wait'>;

export interface ProcessOperations {
  /** Those of the background end, too, unless someone else is attached: then they are the last one's to end. */
  readonly endProcesses: Operation<
    { readonly background?: readonly BackgroundReference[] | undefined },
    Record<string, never>
  >;
  readonly startBackground: Operation<StartBackgroundOptions & { readonly argv: readonly string[] }, BackgroundRecord>;
  readonly listBackground: Operation<ListBackgroundOptions, { readonly processes: readonly BackgroundRecord[] }>;
  /** One whose record and handle are both gone is `lost`. */
  readonly backgroundState: Operation<BackgroundReference, { readonly state: BackgroundState }>;
  readonly stopBackground: Operation<
    BackgroundReference & { readonly reason?: 'closed' | undefined },
    { readonly state: BackgroundState }
  >;
  /** Answers `running` after `waitMs`, 20,000 at the most: ask again. */
  readonly waitBackground: Operation<
    BackgroundReference & { readonly waitMs: number },
    { readonly state: BackgroundState }
  >;
}

/** Names a command as it is asked for. */
export function backgroundReference(record: Pick<BackgroundRecord, 'logPath' | 'number'>): BackgroundReference {
  return { recordDirectory: posix.dirname(record.logPath), number: record.number };
}

/** To a host, the owner of a command is an attachment: the process that started it is always a gateway. */
function toRecord(process: BackgroundProcess, owner: string | undefined): BackgroundRecord {
  const { number, label, pid, processGroup, startedAt, logPath, statusPath } = process;
  return { number, label, pid, processGroup, startedAt, owner, logPath, statusPath };
}

async function waitFor(process: BackgroundProcess, waitMs: number, signal: AbortSignal): Promise<BackgroundState> {
  const enough = AbortSignal.timeout(Math.min(waitMs, MAX_WAIT_MS));
  try {
    return await process.wait({ signal: AbortSignal.any([signal, enough]) });
  } catch (error) {
    signal.throwIfAborted();
    if (enough.aborted) return { kind: 'running' };
    throw error;
  }
}

export const processOperations: () => ProcessOperations = lazy(() => {
  const text = z.string().optional();
  const reference = { recordDirectory: z.string(), number: z.number() };
  const record = lazy(() =>
    z.object({
      number: z.number(),
      label: z.string(),
      pid: z.number(),
      processGroup: z.number(),
      startedAt: z.string(),
      owner: text,
      logPath: z.string(),
      statusPath: z.string(),
    }),
  );
  const state = whenUsed(() =>
    z.object({
      state: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('running') }),
        z.object({ kind: z.literal('exited'), exitCode: z.number() }),
        z.object({ kind: z.literal('signaled'), signal: z.string() }),
        z.object({ kind: z.literal('timed-out') }),
        z.object({ kind: z.literal('closed') }),
        z.object({ kind: z.literal('lost') }),
      ]),
    }),
  );
  const lost: BackgroundState = { kind: 'lost' };
  return {
    endProcesses: {
      route: '/processes/end-all',
      input: whenUsed(() => z.object({ background: z.array(z.object(reference)).optional() })),
      output: whenUsed(() => z.object({})),
      run: async (host, { background = [] }) => {
        await host.endProcesses(background);
        return {};
      },
    },
    startBackground: {
      route: '/background/start',
      input: whenUsed(() =>
        z.object({
          argv: z.array(z.string()),
          cwd: text,
          env: z.record(z.string(), z.string()).optional(),
          timeoutMs: z.number().optional(),
          recordDirectory: text,
          label: text,
        }),
      ),
      output: whenUsed(record),
      run: async (host, { argv, ...options }) => {
        const process = await host.backend.startBackground(argv, options);
        return toRecord(process, host.rememberBackground(process, { isStarted: true }));
      },
    },
    listBackground: {
      route: '/background/list',
      input: whenUsed(() => z.object({ recordDirectories: z.array(z.string()).optional() })),
      output: whenUsed(() => z.object({ processes: z.array(record()) })),
      run: async (host, options) => {
        const processes = await host.backend.listBackground(options);
        return { processes: processes.map((process) => toRecord(process, host.rememberBackground(process))) };
      },
    },
    backgroundState: {
      route: '/background/state',
      input: whenUsed(() => z.object(reference)),
      output: state,
      run: async (host, input) => ({ state: (await (await host.findBackground(input))?.state()) ?? lost }),
    },
    stopBackground: {
      route: '/background/stop',
      input: whenUsed(() => z.object({ ...reference, reason: z.literal('closed').optional() })),
      output: state,
      run: async (host, { reason, ...input }) => ({
        state: (await (await host.findBackground(input))?.stop({ reason })) ?? lost,
      }),
    },
    waitBackground: {
      route: '/background/wait',
      input: whenUsed(() => z.object({ ...reference, waitMs: z.number().min(0) })),
      output: state,
      run: async (host, { waitMs, ...input }, signal) => {
        const process = await host.findBackground(input);
        return { state: process === undefined ? lost : await waitFor(process, waitMs, signal) };
      },
    },
  };
});
