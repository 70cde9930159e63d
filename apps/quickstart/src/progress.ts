import { stripVTControlCharacters } from 'node:util';
import type { WorkspaceToolOutput } from '@agent-workspace/ai-sdk';

/** One call of a tool, as it is told and put into the JSON. */
export interface StepReport {
  readonly tool: string;
  readonly argument: string;
  /** Characters of text that the model got. */
  readonly resultChars: number;
  readonly state: string;
  readonly ms: number;
}

export interface ExecutedCall {
  readonly tool: string;
  readonly input: unknown;
  /** Undefined if the call threw. */
  readonly output: WorkspaceToolOutput | undefined;
  readonly ms: number;
}

const MAX_ARGUMENT_CHARS = 56;
const MAX_BUILD_LINE_CHARS = 110;

export function toStepReport({ tool, input, output, ms }: ExecutedCall): StepReport {
  const texts = (output?.content ?? []).map((block) => (block.type === 'text' ? block.text.length : 0));
  return {
    tool,
    argument: mainArgument(input),
    resultChars: texts.reduce((sum, length) => sum + length, 0),
    state: output === undefined ? 'threw' : output.offloadedTo === undefined ? output.state : 'offloaded',
    ms: Math.round(ms),
  };
}

export function formatStep(step: StepReport): string {
  const { tool, argument, resultChars, state, ms } = step;
  const columns = [
    `  ${tool}`.padEnd(32),
    argument.padEnd(MAX_ARGUMENT_CHARS + 1),
    `${resultChars} chars`.padStart(12),
    `${ms} ms`.padStart(8),
  ];
  return `${columns.join(' ')}  ${state}`;
}

/**
 * A line of what an engine says as it builds an image.
 *
 * @returns `undefined` for its own bookkeeping
 */
export function formatBuildLine(message: string): string | undefined {
  const line = stripVTControlCharacters(message).trim();
  if (line === '' || /^(?:--->|Removing intermediate container|npm notice)/u.test(line)) return undefined;
  return `  ${line.length <= MAX_BUILD_LINE_CHARS ? line : `${line.slice(0, MAX_BUILD_LINE_CHARS - 1)}…`}`;
}

/** What a call is about: the first thing that it was given, on one line. */
function mainArgument(input: unknown): string {
  const [first] = Object.values((input ?? {}) as Record<string, unknown>);
  if (first === undefined) return '';
  const line = (typeof first === 'string' ? first : JSON.stringify(first)).replaceAll(/\s+/gu, ' ');
  return line.length <= MAX_ARGUMENT_CHARS ? line : `…${line.slice(1 - MAX_ARGUMENT_CHARS)}`;
}
