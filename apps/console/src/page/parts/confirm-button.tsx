import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import { useAction } from '../hooks/use-action.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { visibleText } from './visible-text.ts';

export interface ConfirmButtonProps {
  /** What is done, such as `Remove`. */
  readonly label: string;
  /** What it is done to, for those who hear the button alone. */
  readonly subject: string;
  /** What will be, and what is lost by it. */
  readonly children: ComponentChildren;
  readonly action: (api: ApiClient) => Promise<unknown>;
  readonly onDone?: (() => void) | undefined;
}

/** A button for what cannot be undone: it asks first, and stays open if it fails. */
export function ConfirmButton({ label, subject: rawSubject, children, action, onDone }: ConfirmButtonProps): VNode {
  const subject = visibleText(rawSubject);
  const [isOpen, setOpen] = useState(false);
  const { run, isRunning, error, forget } = useAction();
  const confirm = async (): Promise<void> => {
    if (!(await run(action))) return;
    setOpen(false);
    onDone?.();
    // The button goes with what it has removed.
    document.querySelector('h1')?.focus();
  };
  return (
    <>
      <button type="button" class="small" aria-label={`${label} ${subject}`} onClick={() => (forget(), setOpen(true))}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={`${label} ${subject}?`} onClose={() => setOpen(false)}>
          <p>{children}</p>
          <ErrorNote error={error} />
          <div class="buttons">
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="button" class="danger" disabled={isRunning} onClick={() => void confirm()}>
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
