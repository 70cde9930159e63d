import type { CapturedOutput } from '../../backend/process.ts';
import { endOfFirst, startOfLast, wholeEnd, wholeStart } from './code-points.ts';

const LINE_FEED = 0x0a;

export interface CutOutput {
  readonly text: string;
  /** Bytes of the stream that are not in `text`. */
  readonly leftOutBytes: number;
}

/**
 * What is shown of a stream: all of it, or its head and its tail around a line that says how much
 * is missing. Cuts fall between lines, or between code points where a line is longer than half of
 * what is shown.
 *
 * @param maxLength characters to show
 */
export function cutOutput(output: CapturedOutput, maxLength: number): CutOutput {
  const isWhole = output.droppedBytes === 0;
  if (isWhole && endOfFirst(output.head, maxLength) === output.head.length) {
    return { text: decode(output.head), leftOutBytes: 0 };
  }
  const half = Math.floor(maxLength / 2);
  const head = headOf(output.head, half);
  const tail = tailOf(isWhole ? output.head : output.tail, maxLength - half);
  const leftOutBytes = output.totalBytes - head.length - tail.length;
  const headText = decode(head);
  const gap = headText === '' || headText.endsWith('\n') ? '' : '\n';
  const mark = `[… ${leftOutBytes.toLocaleString('en-US')} bytes left out here …]`;
  return { text: `${headText}${gap}${mark}\n${decode(tail)}`, leftOutBytes };
}

function headOf(bytes: Uint8Array, length: number): Uint8Array {
  const end = Math.min(endOfFirst(bytes, length), wholeEnd(bytes));
  const feed = bytes.lastIndexOf(LINE_FEED, end - 1);
  return bytes.subarray(0, feed >= end / 2 ? feed + 1 : end);
}

function tailOf(bytes: Uint8Array, length: number): Uint8Array {
  const earliest = startOfLast(bytes, length);
  const start = earliest === 0 ? wholeStart(bytes) : earliest;
  const feed = bytes.indexOf(LINE_FEED, start);
  const isNear = feed !== -1 && feed - start < (bytes.length - start) / 2;
  return bytes.subarray(isNear ? feed + 1 : start);
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
