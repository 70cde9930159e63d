import { decodeFrames, type Frame } from '@agent-workspace/gateway-protocol';

/** All frames of an answer. */
export function framesOf(bytes: Uint8Array): Promise<readonly Frame[]> {
  return Array.fromAsync(framesIn([bytes]));
}

/** The frames of an answer as they come. */
export function framesIn(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Frame, void> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield* body;
  }
  return decodeFrames(chunks(), { maxFrameBytes: 1e9, invalid: (reason) => new Error(reason) });
}

/** The values of newline-delimited JSON as they come. */
export async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>, void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
  }
}
