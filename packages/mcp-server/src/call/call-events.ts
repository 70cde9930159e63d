import type { WorkspaceEvent } from '@agent-workspace/core';

/** Whoever wants to hear of a line that a call or a start prints. */
type Listener = (line: string) => void;

/** Takes a workspace's events to the calls of a session that they are about. */
export class CallEvents {
  readonly #sessionId: string;
  readonly #calls = new Map<string, Listener>();
  readonly #starts = new Set<Listener>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Given to the workspace as its listener. */
  readonly listener = (event: WorkspaceEvent): void => {
    if (event.type === 'build-progressed') {
      for (const listener of this.#starts) listener(event.message);
    } else if (event.type === 'tool-output' && event.toolCallId !== undefined) {
      // A workspace may serve others, too, whose calls go by the same ids.
      if (event.scope.sessionId !== this.#sessionId) return;
      this.#calls.get(event.toolCallId)?.(lastLine(event.bytes));
    }
  };

  onOutput(toolCallId: string, listener: Listener): Disposable {
    this.#calls.set(toolCallId, listener);
    return { [Symbol.dispose]: () => void this.#calls.delete(toolCallId) };
  }

  onStart(listener: Listener): Disposable {
    this.#starts.add(listener);
    return { [Symbol.dispose]: () => void this.#starts.delete(listener) };
  }
}

const TAIL_BYTES = 1024;

function lastLine(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes.subarray(-TAIL_BYTES))
    .toString('utf8')
    .split(/[\r\n]+/u);
  return lines.findLast((line) => line.trim() !== '') ?? '';
}
