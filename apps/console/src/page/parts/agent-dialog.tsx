import type { VNode } from 'preact';
import type { ApiClient } from '../api/api-client.ts';
import { useAction } from '../hooks/use-action.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { formText } from './form-text.ts';

export interface AgentDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly submitLabel: string;
  readonly onClose: () => void;
  readonly submit: (api: ApiClient, ids: { readonly agentId: string; readonly sessionId: string }) => Promise<unknown>;
}

/** Asks which agent and session something is for. Both are any text; neither has to exist. */
export function AgentDialog({ title, hint, submitLabel, onClose, submit }: AgentDialogProps): VNode {
  const { run, isRunning, error } = useAction();
  const onSubmit = async (form: HTMLFormElement): Promise<void> => {
    const ids = { agentId: formText(form, 'agentId'), sessionId: formText(form, 'sessionId') };
    if (await run((api) => submit(api, ids))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit(event.currentTarget);
        }}
      >
        <p class="quiet">{hint}</p>
        <ErrorNote error={error} />
        <label class="field">
          Agent
          <input name="agentId" required maxLength={200} placeholder="coder" autocomplete="off" spellcheck={false} />
        </label>
        <label class="field">
          Session
          <input
            name="sessionId"
            required
            maxLength={200}
            defaultValue={newSessionId()}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isRunning}>
            {submitLabel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** One that nobody has: the time, to the second. */
function newSessionId(): string {
  return new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
}
