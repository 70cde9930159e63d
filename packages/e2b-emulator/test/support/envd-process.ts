import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENVD_PROGRAM, PROGRAM_DIRECTORY } from '../../src/program-files.ts';

/** A message of a stream with its flags. */
export interface Frame {
  readonly flags: number;
  readonly message: Readonly<Record<string, unknown>>;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly frames: readonly Frame[];
}

export interface UnaryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface CallOptions {
  readonly user?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface EnvdProcessOptions {
  /** The node to run it with. Default: the one that runs this test. */
  readonly node?: string | undefined;
  /** Users as `/etc/passwd` has them. Default: only the one that runs this test. */
  readonly hasUsers?: boolean | undefined;
}

export function encodeFrame(message: unknown): Buffer<ArrayBuffer> {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

/** The frames of an answer as they come. */
export async function* framesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of body) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
      const end = 5 + bytes.readUInt32BE(1);
      yield { flags: bytes.readUInt8(0), message: JSON.parse(String(bytes.subarray(5, end))) as Frame['message'] };
      bytes = bytes.subarray(end);
    }
  }
}

async function readLine(child: ChildProcess): Promise<string> {
  let line = '';
  for await (const chunk of child.stdout ?? []) {
    line += String(chunk);
    if (line.includes('\n')) return line;
  }
  throw new Error('envd ended before it was ready.');
}

/** The bundled envd as a process of this machine, and a client of its API. */
export class EnvdProcess implements AsyncDisposable {
  readonly url: string;
  readonly home: string;
  readonly child: ChildProcess;

  static async start({ node = process.execPath, hasUsers = false }: EnvdProcessOptions = {}): Promise<EnvdProcess> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'envd-')));
    const argv = [join(PROGRAM_DIRECTORY, ENVD_PROGRAM), '--port', '0', '--host', '127.0.0.1'];
    const child = spawn(node, hasUsers ? argv : [...argv, '--sole-user-home', home], {
      env: { PATH: process.env['PATH'], SECRET_OF_ENVD: 'x', E2B_SANDBOX_ID: `i${home.slice(-6).toLowerCase()}` },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { address } = JSON.parse(await readLine(child)) as { readonly address: { readonly port: number } };
    return new EnvdProcess(child, `http://127.0.0.1:${address.port}`, home);
  }

  private constructor(child: ChildProcess, url: string, home: string) {
    this.child = child;
    this.url = url;
    this.home = home;
  }

  /** The answer as it comes. */
  open(procedure: string, request: unknown, options: CallOptions = {}): Promise<Response> {
    return this.#post(procedure, 'application/connect+json', encodeFrame(request), options);
  }

  async stream(procedure: string, request: unknown, options: CallOptions = {}): Promise<StreamAnswer> {
    const { status, headers, body } = await this.open(procedure, request, options);
    return { status, headers, frames: await Array.fromAsync(framesIn(body ?? new ReadableStream())) };
  }

  async unary(procedure: string, request: unknown, options: CallOptions = {}): Promise<UnaryAnswer> {
    const answer = await this.#post(procedure, 'application/json', JSON.stringify(request), options);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  #post(
    procedure: string,
    type: string,
    body: string | Uint8Array<ArrayBuffer>,
    { user, headers, signal }: CallOptions,
  ): Promise<Response> {
    const basic = user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` };
    return fetch(`${this.url}/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': type, 'connect-protocol-version': '1', ...basic, ...headers },
      body,
      ...(signal !== undefined && { signal }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

/** A `Start` of a script in bash, as the SDK's `commands.run` has it. */
export function bash(script: string, more: Readonly<Record<string, unknown>> = {}): object {
  const { process: config, ...rest } = more as { readonly process?: object };
  return { process: { cmd: '/bin/bash', args: ['-c', script], ...config }, stdin: false, ...rest };
}

/** What a stream said on one output. */
export function outputOf(frames: readonly Frame[], name: 'stdout' | 'stderr' | 'pty'): string {
  const chunks = frames.flatMap(({ message }) => {
    const chunk = (message['event'] as { readonly data?: Record<string, string> } | undefined)?.data?.[name];
    return chunk === undefined ? [] : [Buffer.from(chunk, 'base64')];
  });
  return Buffer.concat(chunks).toString('utf8');
}

/** The `end` event of a stream. */
export function endOf(frames: readonly Frame[]): unknown {
  return frames.map(({ message }) => (message['event'] as { readonly end?: unknown } | undefined)?.end).find(Boolean);
}

export interface OpenStream {
  readonly pid: number;
  readonly frames: AsyncGenerator<Frame, void>;
  readonly rest: () => Promise<Frame[]>;
  readonly abort: () => void;
}

/** A stream that is read by hand. */
export async function openStream(
  envd: EnvdProcess,
  procedure: string,
  request: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const controller = new AbortController();
  const { body } = await envd.open(procedure, request, { signal: controller.signal, headers });
  const frames = framesIn(body ?? new ReadableStream());
  const first = (await frames.next()).value as Frame;
  const pid = (first.message['event'] as { readonly start: { readonly pid: number } }).start.pid;
  return { pid, frames, rest: () => Array.fromAsync(frames), abort: () => controller.abort() };
}

export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
