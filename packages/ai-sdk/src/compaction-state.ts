import type { ModelMessage, UserModelMessage } from 'ai';

/** What a session remembers of its compressed messages between turns. */
export interface CompactionState {
  /** The hash of the messages that were compressed. It tells whether a history begins with them. */
  readonly prefixHash: string;
  readonly summary: string;
  /** How many messages, counted from the first that is not a system message. */
  readonly offloadedCount: number;
  /** Where they are, as the agent sees it. */
  readonly path: string;
  /** The last request of the user among them, in the user's words. */
  readonly request?: string | undefined;
}

/** Keeps the state from one turn to the next. */
export interface CompactionStore {
  load(): CompactionState | undefined | Promise<CompactionState | undefined>;
  save(state: CompactionState): void | Promise<void>;
}

/** A store for as long as the process lives. */
export function memoryStore(): CompactionStore {
  let current: CompactionState | undefined;
  return {
    load: () => current,
    save: (state) => {
      current = state;
    },
  };
}

/** Marks the message that stands for the compressed ones. Providers ignore options of other names. */
const MARK = 'agent-workspace';

/** The message that takes the place of the compressed ones. */
export function summaryMessage(state: CompactionState, readWith: string): UserModelMessage {
  const { summary, path, offloadedCount, request, prefixHash } = state;
  const text = [
    `<context-summary>\n${summary}\n</context-summary>`,
    `<system-reminder>The ${offloadedCount} messages before this point have been compressed into the summary above. ` +
      `They are all in ${path}, one JSON message a line. Look up there what the summary leaves out, with ${readWith}.` +
      '</system-reminder>',
    ...(request === undefined ? [] : [`<latest-request>\n${request}\n</latest-request>`]),
  ].join('\n');
  const mark = { prefixHash, summary, offloadedCount, path, ...(request === undefined ? {} : { request }) };
  return { role: 'user', content: [{ type: 'text', text }], providerOptions: { [MARK]: mark } };
}

/** A message as a provider gets it. */
export function withoutMark(message: ModelMessage): ModelMessage {
  if (stateOf(message) === undefined) return message;
  const { providerOptions: _mark, ...rest } = message;
  return rest;
}

/** The state that a summary message stands for; `undefined` for any other message. */
export function stateOf(message: ModelMessage | undefined): CompactionState | undefined {
  const mark = message?.providerOptions?.[MARK];
  if (typeof mark?.['offloadedCount'] !== 'number' || typeof mark['prefixHash'] !== 'string') return undefined;
  if (typeof mark['summary'] !== 'string' || typeof mark['path'] !== 'string') return undefined;
  const request = mark['request'];
  return {
    prefixHash: mark['prefixHash'],
    summary: mark['summary'],
    offloadedCount: mark['offloadedCount'],
    path: mark['path'],
    request: typeof request === 'string' ? request : undefined,
  };
}
