const LINE_FEED = 0x0a;
const DECODER = new TextDecoder('utf-8', { fatal: true });

export interface ReadLinesOptions {
  readonly maxLineBytes: number;
  /** Makes the error for what is no line of JSON. */
  readonly invalid: (reason: string) => Error;
}

function parse(line: Uint8Array, { invalid }: ReadLinesOptions): unknown {
  try {
    return JSON.parse(DECODER.decode(line));
  } catch {
    throw invalid('a line is not JSON');
  }
}

/** Newline-delimited JSON, as it comes. @throws what `invalid` makes */
export async function* readLines(body: AsyncIterable<Uint8Array>, options: ReadLinesOptions): AsyncGenerator {
  const { maxLineBytes, invalid } = options;
  let pending: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const last = chunk.subarray(start, end);
      const line = pending.length === 0 ? last : Buffer.concat([...pending, last]);
      pending = [];
      length = 0;
      start = end + 1;
      if (line.length > maxLineBytes) throw invalid(`a line has more than ${maxLineBytes} bytes`);
      if (line.length > 0) yield parse(line, options);
    }
    if (start < chunk.byteLength) pending.push(chunk.subarray(start));
    length += chunk.byteLength - start;
    if (length > maxLineBytes) throw invalid(`a line has more than ${maxLineBytes} bytes`);
  }
  if (length > 0) throw invalid('it ends in the middle of a line');
}
