export interface Line {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** The last one, without a line end. */
  readonly isTorn: boolean;
}

/** Splits bytes at 0x0A alone, so that a character cut over two chunks stays whole. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncIterable<Line> {
  let rest: Buffer[] = [];
  let line = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      line += 1;
      yield { text: Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8'), line, isTorn: false };
      rest = [];
      start = end + 1;
    }
    if (start < chunk.byteLength) rest.push(Buffer.from(chunk.subarray(start)));
  }
  if (rest.length > 0) yield { text: Buffer.concat(rest).toString('utf8'), line: line + 1, isTorn: true };
}
