import { z } from 'zod';
import { bytes, parseRequest, uint32 } from '../connect/parse-request.ts';

export interface ProcessConfig {
  readonly cmd: string;
  readonly args: readonly string[];
  readonly envs: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** In characters. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface StartRequest {
  readonly process: ProcessConfig;
  /** With it the process gets a terminal. */
  readonly pty?: { readonly size: TerminalSize } | undefined;
  readonly tag?: string | undefined;
  readonly stdin: boolean;
}

/** A process by one of these. */
export interface ProcessSelector {
  readonly pid?: number | undefined;
  readonly tag?: string | undefined;
}

export interface ProcessInput {
  readonly stdin?: Buffer | undefined;
  readonly pty?: Buffer | undefined;
}

export interface SelectRequest {
  readonly process: ProcessSelector;
}

export interface SendInputRequest extends SelectRequest {
  readonly input: ProcessInput;
}

export interface SendSignalRequest extends SelectRequest {
  /** By its name or its number. */
  readonly signal: string | number;
}

export interface UpdateRequest extends SelectRequest {
  readonly pty?: { readonly size: TerminalSize } | undefined;
}

export interface StreamInputRequest {
  readonly start?: SelectRequest | undefined;
  readonly data?: { readonly input: ProcessInput } | undefined;
}

const size = z.object({ cols: uint32.default(0), rows: uint32.default(0) });
const pty = z.object({ size: size.default({ cols: 0, rows: 0 }) });

const start = z.object({
  process: z
    .object({
      cmd: z.string().default(''),
      args: z.array(z.string()).default([]),
      envs: z.record(z.string(), z.string()).default({}),
      cwd: z.string().optional(),
    })
    .default({ cmd: '', args: [], envs: {} }),
  pty: pty.optional(),
  tag: z.string().optional(),
  stdin: z.boolean().default(true),
});

const select = z.object({ process: z.object({ pid: uint32.optional(), tag: z.string().optional() }).default({}) });
const input = z.object({ stdin: bytes.optional(), pty: bytes.optional() }).default({});
const sendInput = select.extend({ input });
const sendSignal = select.extend({ signal: z.union([z.string(), z.number().int()]).default('SIGNAL_UNSPECIFIED') });
const update = select.extend({ pty: pty.optional() });
const streamInput = z.object({ start: select.optional(), data: z.object({ input }).optional() });

export const parseStart = (request: unknown): StartRequest => parseRequest(start, request);
export const parseSelect = (request: unknown): SelectRequest => parseRequest(select, request);
export const parseSendInput = (request: unknown): SendInputRequest => parseRequest(sendInput, request);
export const parseSendSignal = (request: unknown): SendSignalRequest => parseRequest(sendSignal, request);
export const parseUpdate = (request: unknown): UpdateRequest => parseRequest(update, request);
export const parseStreamInput = (request: unknown): StreamInputRequest => parseRequest(streamInput, request);
