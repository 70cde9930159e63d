import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { useAction } from '../hooks/use-action.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { formText } from '../parts/form-text.ts';
import type { Scope } from './scope-picker.tsx';

const EXAMPLE = `{
  "name": "everything",
  "command": "npx",
  "args": ["-y", "@modelcontextprotocol/server-everything"]
}`;

export interface McpDialogProps {
  readonly workspaceId: string;
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** Takes a declaration in JSON: who adds a server mostly has one to paste. */
export function McpDialog({ workspaceId, scope, onClose, onAdded }: McpDialogProps): VNode {
  const { run, isRunning, error } = useAction();
  const onSubmit = async (form: HTMLFormElement): Promise<void> => {
    const text = formText(form, 'declaration');
    const isAdded = await run((api) =>
      api.json(apiPath`workspaces/${workspaceId}/mcps`, { method: 'POST', query: { ...scope }, json: parse(text) }),
    );
    if (!isAdded) return;
    onAdded();
    onClose();
  };
  return (
    <Dialog title="Add an MCP server" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit(event.currentTarget);
        }}
      >
        <ErrorNote error={error} />
        <label class="field">
          Declaration
          <textarea name="declaration" class="mono" rows={8} required spellcheck={false} defaultValue={EXAMPLE} />
        </label>
        <p class="quiet">
          A <code>command</code> with <code>args</code> and <code>env</code>, a <code>url</code> with{' '}
          <code>headers</code>, or the <code>mcpServers</code> of another client.
        </p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? 'Adding …' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `This is not JSON: ${(cause as Error).message}.`;
    throw new ApiError({ code: 'json-invalid', message, status: 0, cause });
  }
}
