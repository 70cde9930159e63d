import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import type { Session, SessionPage } from '../api/types.ts';
import { useResource } from '../hooks/use-resource.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { sessionHref } from '../routing/route.ts';
import { SessionState } from './session-state.tsx';

const PAGE_SESSIONS = 50;

export interface SessionListProps {
  /** Whose sessions. Default: all. */
  readonly workspaceId?: string | undefined;
}

/** Sessions, the last used first, older ones on demand. */
export function SessionList({ workspaceId }: SessionListProps): VNode {
  const [pages, setPages] = useState(1);
  const sessions = useResource({
    key: `${workspaceId ?? ''} ${pages}`,
    load: (api, signal) => readPages(api, { workspaceId, pages, signal }),
    changesBy: ({ type }) => type.startsWith('chat-') || type === 'session-deleted',
  });
  return (
    <Loaded resource={sessions}>
      {({ sessions: all, next }) => (
        <>
          {all.length === 0 ? (
            <p class="empty">There is no session yet. The first message to an agent begins one.</p>
          ) : (
            <SessionTable sessions={all} />
          )}
          {next !== undefined && (
            <button type="button" onClick={() => setPages(pages + 1)}>
              Show older
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

interface PagesOptions {
  readonly workspaceId: string | undefined;
  readonly pages: number;
  readonly signal: AbortSignal;
}

async function readPages(api: ApiClient, { workspaceId, pages, signal }: PagesOptions): Promise<SessionPage> {
  const sessions: Session[] = [];
  let before: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const query = { workspaceId, limit: String(PAGE_SESSIONS), before };
    const read = await api.json<SessionPage>('v1/sessions', { query, signal });
    sessions.push(...read.sessions);
    before = read.next;
    if (before === undefined) return { sessions };
  }
  return before === undefined ? { sessions } : { sessions, next: before };
}

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }): VNode {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Session</th>
          <th scope="col">Agent</th>
          <th scope="col">State</th>
          <th scope="col" class="number wide">
            Messages
          </th>
          <th scope="col" class="wide">
            Last used
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={`${session.agentId}\n${session.sessionId}`}>
            <th scope="row">
              <a href={sessionHref(session)}>
                <Name text={session.sessionId} />
              </a>
              <span class="row-title">{visibleText(session.title)}</span>
            </th>
            <td>
              <Name text={session.agentId} />
            </td>
            <td>
              <SessionState state={session.state} />
            </td>
            <td class="number wide">{session.messages}</td>
            <td class="wide">
              <TimeAgo at={session.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
