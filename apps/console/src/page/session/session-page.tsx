import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import { Conversation } from '../chat/conversation.tsx';
import { useChat } from '../chat/use-chat.ts';
import type { ServiceEvent } from '../api/types.ts';
import { EventList } from '../events/event-list.tsx';
import { RecentEvents } from '../events/recent-events.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Name } from '../parts/name.tsx';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { SESSION_TABS, sessionHref, type SessionTab, workspaceHref } from '../routing/route.ts';
import { ContextView } from './context-view.tsx';
import { ResultsView } from './results-view.tsx';
import { SessionState } from './session-state.tsx';

const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  chat: 'Chat',
  context: 'Context',
  results: 'Results',
  events: 'Events',
};

export interface SessionPageProps {
  readonly agentId: string;
  readonly sessionId: string;
  readonly tab: SessionTab;
}

export function SessionPage({ agentId, sessionId, tab }: SessionPageProps): VNode {
  const { chat, view } = useChat(agentId, sessionId);
  const { session } = view;
  const isOurs = (event: ServiceEvent): boolean => event.agentId === agentId && event.sessionId === sessionId;
  const actions = session !== undefined && (
    <>
      <SessionState state={view.isRunning ? 'running' : session.state} />
      <ConfirmButton
        label="Delete"
        subject="session"
        action={(api) => api.json(apiPath`agents/${agentId}/sessions/${sessionId}`, { method: 'DELETE' })}
        onDone={() => {
          location.hash = '#/sessions';
        }}
      >
        Its messages are forgotten, and its offloaded context and results removed from the workspace.
      </ConfirmButton>
    </>
  );
  return (
    <Page title={visibleText(sessionId)} id={`${agentId}\n${sessionId}`} actions={actions}>
      <p class="subtitle quiet">
        Agent <Name text={agentId} />
        {session !== undefined && (
          <>
            {' '}
            in its <a href={workspaceHref(session.workspaceId)}>workspace</a>
            {' · '}
            <a href={workspaceHref(session.workspaceId, 'files')}>files</a>
          </>
        )}
      </p>
      <Tabs
        label="Session"
        tabs={SESSION_TABS.map((name) => ({
          name: TAB_NAMES[name],
          href: sessionHref({ agentId, sessionId }, name),
          isCurrent: name === tab,
        }))}
      />
      {tab === 'chat' && (
        <div class="chat-page">
          <Conversation chat={chat} view={view} />
          <RecentEvents isOfInterest={isOurs} />
        </div>
      )}
      {tab === 'context' && <ContextView agentId={agentId} sessionId={sessionId} />}
      {tab === 'results' && <ResultsView agentId={agentId} sessionId={sessionId} />}
      {tab === 'events' && <EventList hasOwners={false} isOfInterest={isOurs} />}
    </Page>
  );
}
