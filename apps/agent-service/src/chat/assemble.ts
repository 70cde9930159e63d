import { createUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

/**
 * The message that a turn's chunks amount to so far: a new one, or the last of the history gone on
 * with. `undefined` where there is nothing in it.
 */
export async function assembleMessage(
  messages: readonly UIMessage[],
  chunks: readonly UIMessageChunk[],
): Promise<UIMessage | undefined> {
  if (chunks.length === 0) return undefined;
  let assembled: UIMessage | undefined;
  const stream = createUIMessageStream({
    originalMessages: [...messages],
    execute: ({ writer }) => {
      for (const chunk of chunks) if (chunk.type !== 'error') writer.write(chunk);
    },
    onEnd: ({ responseMessage }) => {
      assembled = responseMessage;
    },
  });
  const reader = stream.getReader();
  while (!(await reader.read()).done);
  return assembled !== undefined && assembled.parts.length > 0 ? assembled : undefined;
}

/** A history with a message in its place: at the end, or where the one was that it goes on with. */
export function withMessage(messages: readonly UIMessage[], message: UIMessage | undefined): readonly UIMessage[] {
  if (message === undefined) return messages;
  const position = positionOf(messages, message);
  return [...messages.slice(0, position), message];
}

export function positionOf(messages: readonly UIMessage[], { id }: UIMessage): number {
  return messages.at(-1)?.id === id ? messages.length - 1 : messages.length;
}
