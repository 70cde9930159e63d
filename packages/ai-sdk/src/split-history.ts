import type { ModelMessage } from 'ai';

export interface SplitOptions {
  /** How many messages are kept, if they fit. */
  readonly keepLast: number;
  /** Whether the messages from here on are small enough to be kept. */
  readonly fits: (kept: readonly ModelMessage[]) => boolean;
}

/**
 * Where to cut a history in two. A call is never parted from its result, and one without a result,
 * such as one that waits for an approval, stays in the second part with all that comes after it.
 * The last message always stays.
 *
 * @returns the index of the first message that is kept, or `undefined` if there is nowhere to cut
 */
export function splitHistory(messages: readonly ModelMessage[], options: SplitOptions): number | undefined {
  const cuts = possibleCuts(messages);
  const wanted = messages.length - options.keepLast;
  const roomy = cuts.findLast((cut) => cut <= wanted);
  if (roomy !== undefined && options.fits(messages.slice(roomy))) return roomy;
  return cuts.find((cut) => cut > wanted && options.fits(messages.slice(cut))) ?? cuts.at(-1);
}

/** Indices at which no call is open. */
function possibleCuts(messages: readonly ModelMessage[]): number[] {
  const open = new Set<string>();
  const cuts: number[] = [];
  for (const [index, message] of messages.entries()) {
    if (index > 0 && open.size === 0) cuts.push(index);
    if (typeof message.content === 'string') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') open.add(part.toolCallId);
      if (part.type === 'tool-result') open.delete(part.toolCallId);
    }
  }
  return cuts;
}
