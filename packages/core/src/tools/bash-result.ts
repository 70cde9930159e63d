import type { BackgroundProcess } from '../backend/background.ts';
import type { CapturedOutput, ExecResult, ProcessEnd } from '../backend/process.ts';
import type { ToolResultState } from '../messages/blocks.ts';
import { type BuiltinOutcome, success, textBlock } from './define-builtin.ts';
import { formatCall } from './format-call.ts';
import { countCodePoints } from './text/code-points.ts';
import { cutOutput } from './text/cut-output.ts';

/** Characters of output that the model gets to see; the rest is left out of the middle. */
export const MAX_OUTPUT_LENGTH = 30_000;

/** What a command's end means to the model: nothing to say, or the line that comes first. */
function describeEnd(end: ProcessEnd): { readonly state: ToolResultState; readonly line: string | undefined } {
  if (end.kind === 'aborted') return { state: 'interrupted', line: 'Interrupted by the caller' };
  if (end.kind === 'signaled') return { state: 'error', line: `Killed by ${end.signal}` };
  if (end.kind === 'timed-out') return { state: 'error', line: `Timed out after ${end.timeoutMs} ms` };
  if (end.exitCode === 0) return { state: 'success', line: undefined };
  return { state: 'error', line: `Exit code ${end.exitCode}` };
}

function lengthOf(output: CapturedOutput): number {
  return output.droppedBytes > 0 ? MAX_OUTPUT_LENGTH : countCodePoints(output.head);
}

/** The result of a command that has ended: how it ended unless well, its stdout, its stderr. */
export function commandOutcome(result: ExecResult): BuiltinOutcome {
  const { end } = result;
  const { state, line } = describeEnd(end);
  // Each stream gets at least half of the room, and what the other leaves of it.
  const half = MAX_OUTPUT_LENGTH / 2;
  const forStderr = Math.min(lengthOf(result.stderr), Math.max(half, MAX_OUTPUT_LENGTH - lengthOf(result.stdout)));
  const stdout = cutOutput(result.stdout, MAX_OUTPUT_LENGTH - forStderr);
  const stderr = cutOutput(result.stderr, forStderr);
  const isSilent = stdout.text === '' && stderr.text === '';
  const sections = [
    line === undefined ? '' : `${line}\n`,
    endedByLineFeed(stdout.text, stderr.text !== ''),
    stderr.text === '' ? '' : `[stderr]\n${stderr.text}`,
    isSilent ? '(no output)' : '',
  ];
  const metadata = {
    exit_code: end.kind === 'exited' ? end.exitCode : null,
    signal: end.kind === 'signaled' ? end.signal : null,
    timed_out: end.kind === 'timed-out',
    duration_ms: Math.round(result.durationMs),
    dropped_bytes: stdout.leftOutBytes + stderr.leftOutBytes,
  };
  return { content: [textBlock(sections.join(''))], state, metadata };
}

function endedByLineFeed(text: string, isFollowed: boolean): string {
  return text === '' || text.endsWith('\n') || !isFollowed ? text : `${text}\n`;
}

/** The result of a command that has been started in the background. */
export function backgroundOutcome(process: BackgroundProcess): BuiltinOutcome {
  const { number, processGroup, pid, logPath, statusPath } = process;
  const text = [
    `Background command ${number} is running in process group ${processGroup}.`,
    `Its output, stdout and stderr together, goes to ${logPath}`,
    `How it ended will be in ${statusPath}`,
    `- To see its output: ${formatCall('Read', { file_path: logPath })}`,
    `- To end it: ${formatCall('Bash', { command: `kill -- -${processGroup}` })}`,
  ].join('\n');
  const metadata = {
    background: true,
    number,
    pid,
    process_group: processGroup,
    log_path: logPath,
    status_path: statusPath,
  };
  return success(text, metadata);
}
