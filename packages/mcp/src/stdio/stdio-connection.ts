import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, ProcessTree } from '@agent-workspace/core';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ConnectionEnd, ServerConnection } from '../connection.ts';
import { killOnExit } from './kill-on-exit.ts';
import { LineSplitter } from './line-splitter.ts';
import { parseMessages } from './parse-messages.ts';
import { TextTail } from './text-tail.ts';

/** Large enough for media in a result, small enough for memory to survive a server that never ends a line. */
export const MAX_LINE_BYTES: number = 64 * 1024 * 1024;
const STDERR_TAIL_BYTES = 64 * 1024;
/** For a server to end by itself once its stdin has ended. */
const STDIN_GRACE_MS = 2000;
/** Between SIGTERM and SIGKILL. */
const TERM_GRACE_MS = 2000;
/** For what is still in the pipes of a process that has exited: a grandchild may hold them open. */
const DRAIN_MS = 100;
/** For a process to exit once it has closed its stdout. */
const SILENT_LIFE_MS = 1000;

/** Waits without keeping the host alive, which what is waited for does. */
const unreferencedPause = (ms: number): Promise<void> => pause(ms, undefined, { ref: false });

export interface StdioConnectionOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Default 64 MiB. */
  readonly maxLineBytes?: number | undefined;
}

/** An MCP server that is a process of ours, in a process group of its own, spoken to by lines of JSON. */
export class StdioConnection implements ServerConnection, Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #options: StdioConnectionOptions;
  readonly #stderr = new TextTail(STDERR_TAIL_BYTES);
  readonly #lines: LineSplitter;
  #child: ChildProcessWithoutNullStreams | undefined;
  #tree: ProcessTree | undefined;
  #end: ConnectionEnd | undefined;
  #ended: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: StdioConnectionOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.maxLineBytes ?? MAX_LINE_BYTES);
  }

  get transport(): Transport {
    return this;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get end(): ConnectionEnd | undefined {
    return this.#end;
  }

  stderrTail(maxBytes?: number): string {
    return this.#stderr.text(maxBytes);
  }

  /** Starts the process. Rejects if there is no such program or directory. */
  async start(): Promise<void> {
    const { command, args, cwd, env, logger } = this.#options;
    if (!existsSync(cwd)) throw new Error(`its directory ${cwd} does not exist`);
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: 'pipe' });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    child.on('error', (error) => this.onerror?.(error));
    this.#child = child;
    const isLeader = (): boolean => child.exitCode === null && child.signalCode === null;
    this.#tree = new ProcessTree({ group: child.pid, isLeader, logger });
    this.#ended = this.#watch(child).finally(killOnExit(child.pid));
    // The exit tells what a broken pipe means.
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('the process takes no more input');
    // Messages that are sent in the same turn of the event loop go out in one write, and are read by one.
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    const error = await new Promise<Error | null | undefined>((resolve) => {
      stdin.write(`${JSON.stringify(message)}\n`, resolve);
    });
    if (!error) return;
    await this.#expectExit('it closed its stdin and lives on');
    throw error;
  }

  close(options: { readonly reason?: ConnectionEnd | undefined } = {}): Promise<void> {
    this.#end ??= options.reason ?? { kind: 'closed' };
    this.#notifyClosed();
    return (this.#closing ??= this.#close());
  }

  #read(chunk: Buffer): void {
    for (const line of this.#lines.push(chunk)) {
      const messages = parseMessages(line);
      if (messages.length === 0 && line.trim() !== '') {
        this.#options.logger.debug('A line on stdout is no message', { line: line.slice(0, 200) });
      }
      for (const message of messages) this.onmessage?.(message);
    }
    if (this.#lines.isOverlong) {
      this.#child?.stdout.destroy();
      const limit = this.#options.maxLineBytes ?? MAX_LINE_BYTES;
      void this.close({ reason: { kind: 'violated', reason: `a message is longer than ${limit} bytes` } });
    }
  }

  /** Follows the process to its end, whoever ends it, and then ends what it left behind. */
  async #watch(child: ChildProcessWithoutNullStreams): Promise<void> {
    const exited = new Promise<ConnectionEnd>((resolve) => {
      child.once('exit', (exitCode, signal) =>
        resolve({ kind: 'exited', exitCode: exitCode ?? undefined, signal: signal ?? undefined }),
      );
    });
    const read = Promise.allSettled([finished(child.stdout), finished(child.stderr)]);
    child.stdout.once('close', () => void this.#expectExit('it closed its stdout and lives on'));
    const end = await exited;
    await Promise.race([read, unreferencedPause(DRAIN_MS)]);
    this.#end ??= end;
    for (const stream of child.stdio) stream?.destroy();
    this.#notifyClosed();
    await this.#tree?.end({ graceMs: TERM_GRACE_MS });
  }

  /** Without one of its pipes a process is of no use: it exits soon, or is ended. */
  async #expectExit(reason: string): Promise<void> {
    await Promise.race([this.#ended, unreferencedPause(SILENT_LIFE_MS)]);
    if (this.#end === undefined) await this.close({ reason: { kind: 'violated', reason } });
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (!child || !this.#tree) return;
    if (child.exitCode === null && child.signalCode === null) {
      // What has left its group can no longer be told once it has gone.
      await this.#tree.members();
      child.stdin.end();
      const graceMs = this.#end?.kind === 'closed' ? STDIN_GRACE_MS : 0;
      await Promise.race([this.#ended, unreferencedPause(graceMs)]);
      // Where even SIGKILL does not help, the caller is not kept waiting for the exit.
      if (!(await this.#tree.end({ graceMs: TERM_GRACE_MS }))) return;
    }
    await this.#ended;
  }

  #notifyClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
