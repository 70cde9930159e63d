import { type CapturedOutput, type ExecResult, GatewayAnswerInvalidError } from '@agent-workspace/core';
import type { CapturedHeader, ExecFrame } from '@agent-workspace/gateway-protocol';

const NOTHING: CapturedOutput = {
  head: new Uint8Array(0),
  tail: new Uint8Array(0),
  droppedBytes: 0,
  totalBytes: 0,
};

/** The result of a command of which nothing but its abort is known. */
export function abortedResult(startedAt: number): ExecResult {
  return { end: { kind: 'aborted' }, stdout: NOTHING, stderr: NOTHING, durationMs: performance.now() - startedAt };
}

/** The result as a backend gives it, out of a frame and its bytes. @throws `gateway-answer-invalid` */
export function toExecResult(frame: Extract<ExecFrame, { type: 'result' }>, bytes: Uint8Array): ExecResult {
  let offset = 0;
  const take = (count: number): Uint8Array => bytes.subarray(offset, (offset += count));
  const capture = ({ headBytes, tailBytes, droppedBytes, totalBytes }: CapturedHeader): CapturedOutput => ({
    head: take(headBytes),
    tail: take(tailBytes),
    droppedBytes,
    totalBytes,
  });
  const { end, durationMs } = frame;
  const result = { end, stdout: capture(frame.stdout), stderr: capture(frame.stderr), durationMs };
  if (offset !== bytes.byteLength) {
    const reason = `its output has ${bytes.byteLength} bytes and not ${offset}`;
    throw new GatewayAnswerInvalidError({ operation: 'exec', reason });
  }
  return result;
}
