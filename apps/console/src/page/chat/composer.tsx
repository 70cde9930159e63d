import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PermissionMode } from '../api/types.ts';
import { useServices } from '../hooks/services.ts';

const MODES: Readonly<Record<PermissionMode, string>> = {
  full: 'may do all',
  ask: 'asks before changes',
  'read-only': 'only reads',
};

export interface ComposerProps {
  /** The session's own, once it has one. */
  readonly mode: PermissionMode | undefined;
  readonly isRunning: boolean;
  readonly onSend: (text: string, mode: PermissionMode) => void;
  readonly onStop: () => void;
}

/** Where the next message is written. Enter sends it, Shift+Enter is a new line. */
export function Composer({ mode, isRunning, onSend, onStop }: ComposerProps): VNode {
  const { status } = useServices();
  const [chosen, setChosen] = useState<PermissionMode>();
  const input = useRef<HTMLTextAreaElement>(null);
  const shownMode = chosen ?? mode ?? status.permissionMode;
  const send = (): void => {
    const text = input.current?.value.trim() ?? '';
    if (text === '' || isRunning || input.current === null) return;
    input.current.value = '';
    onSend(text, shownMode);
  };
  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={input}
        rows={2}
        aria-label="Message to the agent"
        placeholder="Write to the agent …"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-row">
        <span class="quiet">
          <span aria-hidden="true">The agent </span>
          <select
            aria-label="What the agent may do"
            value={shownMode}
            onChange={({ currentTarget }) => setChosen(currentTarget.value as PermissionMode)}
          >
            {Object.entries(MODES).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </span>
        {isRunning ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary">
            Send
          </button>
        )}
      </div>
    </form>
  );
}
