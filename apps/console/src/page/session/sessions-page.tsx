import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { AgentDialog } from '../parts/agent-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { sessionHref } from '../routing/route.ts';
import { SessionList } from './session-list.tsx';

export function SessionsPage(): VNode {
  const [isCreating, setCreating] = useState(false);
  const newButton = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      New session
    </button>
  );
  return (
    <Page title="Sessions" id="sessions" actions={newButton}>
      <SessionList />
      {isCreating && (
        <AgentDialog
          title="New session"
          submitLabel="Begin"
          hint="Whom to talk to, and under which name. Its first message makes it."
          onClose={() => setCreating(false)}
          submit={(_api, ids) => {
            location.hash = sessionHref(ids);
            return Promise.resolve();
          }}
        />
      )}
    </Page>
  );
}
