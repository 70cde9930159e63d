import { z } from 'zod';

/** One line of what the engine tells during a pull or a build. */
export interface EngineMessage {
  /** What a build prints. */
  readonly stream?: string | undefined;
  /** What a pull does, */
  readonly status?: string | undefined;
  /** to which layer, */
  readonly id?: string | undefined;
  /** and how far it got. */
  readonly progress?: string | undefined;
  readonly error?: string | undefined;
  readonly errorDetail?: { readonly message?: string | undefined } | undefined;
}

const messageSchema: z.ZodType<EngineMessage> = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progress: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.object({ message: z.string().optional() }).optional(),
});

/** Longer lines are cut: what comes from the engine may come from a build. */
const MAX_LINE_CHARACTERS = 1024 * 1024;

/** The messages of a stream of JSON lines, to its end. What is no message is left out. */
export async function* readEngineMessages(stream: AsyncIterable<Uint8Array>): AsyncGenerator<EngineMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    for (const line of lines) yield* parseMessage(line);
  }
  yield* parseMessage(rest);
}

function* parseMessage(line: string): Generator<EngineMessage> {
  if (line.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return;
  }
  const message = messageSchema.safeParse(value);
  if (message.success) yield message.data;
}

/** What a failed pull or build says went wrong. */
export function messageError({ error, errorDetail }: EngineMessage): string | undefined {
  return errorDetail?.message ?? error;
}
