import { PendingBytes } from '@agent-workspace/gateway-protocol';

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
  const pending = new PendingBytes();
  for await (const chunk of body) {
    pending.push(chunk);
    for (let length = pending.lineLength(); length >= 0; length = pending.lineLength()) {
      if (length > maxLineBytes) throw invalid(`a line has more than ${maxLineBytes} bytes`);
      const line = pending.take(length);
      pending.take(1);
      if (length > 0) yield parse(line, options);
    }
    if (pending.length > maxLineBytes) throw invalid(`a line has more than ${maxLineBytes} bytes`);
  }
  if (pending.length > 0) throw invalid('it ends in the middle of a line');
}
