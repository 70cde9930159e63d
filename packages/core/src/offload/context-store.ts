import { posix } from 'node:path';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { MessageInvalidError } from '../errors/message-invalid-error.ts';
import type { Message } from '../messages/message.ts';
import { parseMessage } from '../messages/parse-message.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { DecodedMedia, MediaStore } from './media-store.ts';
import { moveMedia } from './move-media.ts';
import { readLines } from './read-lines.ts';
import { sessionDirectory } from './session-directory.ts';

/** The time as AgentScope writes it: local, without a zone. */
function localTimestamp(date: Date = new Date()): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return `${shifted.toISOString().slice(0, -1)}000`;
}

/** A message as one line of `context.jsonl`: AgentScope's fields in its order, then any others. */
function serialize(message: Message): string {
  const {
    name,
    content,
    role,
    id,
    metadata,
    created_at,
    usage,
    finished_at,
    finished_reason,
    structured_output,
    error,
    ...others
  } = message;
  return JSON.stringify({
    name,
    content,
    role,
    id,
    metadata: metadata ?? {},
    created_at: created_at ?? localTimestamp(),
    usage: usage ?? null,
    finished_at: finished_at ?? null,
    finished_reason: finished_reason ?? null,
    structured_output: structured_output ?? null,
    error: error ?? null,
    ...others,
  });
}

/** One of several messages, which an error about it says the index of. */
function parseOneOf(value: unknown, index: number): Message {
  try {
    return parseMessage(value);
  } catch (error) {
    if (!MessageInvalidError.isInstance(error)) throw error;
    throw new MessageInvalidError({ reason: `message ${index}: ${error.details.reason}` }, { cause: error.cause });
  }
}

/** `context.jsonl` of each session: compressed messages, one a line, appended and never rewritten. */
export class ContextStore {
  readonly #context: WorkspaceContext;
  readonly #media: MediaStore;

  constructor(context: WorkspaceContext, media: MediaStore) {
    this.#context = context;
    this.#media = media;
  }

  async path(sessionId: string): Promise<string> {
    return posix.join(await sessionDirectory(this.#context, sessionId), 'context.jsonl');
  }

  /** @throws `message-invalid`, `base64-invalid`; then nothing of the call was stored */
  async append(sessionId: string, messages: readonly Message[]): Promise<string> {
    const { backend, lock, sync, diagnostics, emit } = this.#context;
    const path = await this.path(sessionId);
    if (!Array.isArray(messages)) throw new MessageInvalidError({ reason: 'the messages are no array' });
    const pending = new Map<string, DecodedMedia>();
    const records = messages.map((message, index) =>
      serialize(moveMedia(parseOneOf(message, index), this.#media, pending)),
    );
    if (records.length === 0) return path;
    await this.#media.store(pending);
    const result = await lock.run((guard) =>
      backend.appendRecord(path, records, { ...guard, skipExisting: true, sync }),
    );
    if (result.closedTornLine) {
      const reason = 'its last line was torn and has been closed off; what came before and after it is whole';
      diagnostics.add({ kind: 'context', path, reason, severity: 'warning' });
    }
    emit({ type: 'context-offloaded', sessionId, path, messages: result.appended });
    return path;
  }

  /** The messages of a session, oldest first. Lines that are no message go to the diagnostics. */
  async *read(sessionId: string): AsyncIterable<Message> {
    const { backend, diagnostics } = this.#context;
    const path = await this.path(sessionId);
    const skip = (line: number, reason: string): void =>
      diagnostics.add({ kind: 'context', path: `${path}:${line}`, reason, severity: 'warning' });
    try {
      for await (const { text, line, isTorn } of readLines(await backend.openRead(path, { noFollow: true }))) {
        if (text.trim() === '') continue;
        let message: Message;
        try {
          message = parseMessage(JSON.parse(text));
        } catch (error) {
          if (MessageInvalidError.isInstance(error)) {
            skip(line, `the line is no message and was left out: ${error.details.reason}`);
          } else if (error instanceof SyntaxError) {
            skip(line, isTorn ? 'the last line is torn and was left out' : 'the line is not JSON and was left out');
          } else {
            throw error;
          }
          continue;
        }
        yield message;
      }
    } catch (error) {
      if (!FileNotFoundError.isInstance(error)) throw error;
    }
  }
}
