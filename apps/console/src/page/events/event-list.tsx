import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ServiceEvent } from '../api/types.ts';
import { useServices } from '../hooks/services.ts';
import { useFeed } from '../hooks/use-feed.ts';
import { visibleText } from '../parts/visible-text.ts';
import { sessionHref, workspaceHref } from '../routing/route.ts';
import { describeEvent, toneOf } from './describe-event.ts';
import { type FeedEntry, KEPT_EVENTS } from './event-feed.ts';

export interface EventListProps {
  /** Which of all events are shown. Default: all. */
  readonly isOfInterest?: ((event: ServiceEvent) => boolean) | undefined;
  /** Whether to say whose each event is. */
  readonly hasOwners: boolean;
}

/** What happens, as it happens, newest first. Can be held, to be read in peace. */
export function EventList({ isOfInterest = () => true, hasOwners }: EventListProps): VNode {
  const { feed } = useServices();
  const { entries } = useFeed();
  const [held, setHeld] = useState<readonly FeedEntry[]>();
  const [filter, setFilter] = useState('');
  const [isOutputShown, setOutputShown] = useState(false);
  const shown = (held ?? entries).filter(
    ({ event }) =>
      isOfInterest(event) && (isOutputShown || event.type !== 'tool-output') && isMatch(event, filter.toLowerCase()),
  );
  return (
    <section class="events" aria-label="Live events">
      <div class="toolbar">
        <input
          type="search"
          aria-label="Filter events"
          placeholder="Filter"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <label class="check">
          <input type="checkbox" checked={isOutputShown} onChange={() => setOutputShown(!isOutputShown)} />
          Output of tools
        </label>
        <button type="button" aria-pressed={held !== undefined} onClick={() => setHeld(held ? undefined : entries)}>
          {held === undefined ? 'Pause' : 'Go on'}
        </button>
        <button type="button" onClick={() => (feed.clear(), setHeld(undefined))}>
          Clear
        </button>
      </div>
      <div role="log" aria-label="Events, newest first">
        <ol class="event-list">
          {shown.map(({ number, event }) => (
            <EventRow key={number} event={event} hasOwner={hasOwners} />
          ))}
        </ol>
      </div>
      {shown.length === 0 && (
        <p class="empty">
          Nothing yet. Events show here as they happen, the last {KEPT_EVENTS} of them: chat with an agent to see some.
        </p>
      )}
    </section>
  );
}

/** One event in a line or a few. */
export function EventRow({ event, hasOwner }: { readonly event: ServiceEvent; readonly hasOwner: boolean }): VNode {
  return (
    <li class={`event tone-${toneOf(event)}`}>
      <time dateTime={event.at}>{new Date(event.at).toLocaleTimeString('en-GB')}</time>
      <span class="event-type">{event.type}</span>
      <span class="event-text">{visibleText(describeEvent(event))}</span>
      {hasOwner && <Owner event={event} />}
    </li>
  );
}

function Owner({ event: { workspaceId, agentId, sessionId } }: { readonly event: ServiceEvent }): VNode | null {
  if (agentId !== undefined && sessionId !== undefined) {
    return (
      <a class="event-owner" href={sessionHref({ agentId, sessionId })}>
        {visibleText(`${agentId} / ${sessionId}`)}
      </a>
    );
  }
  if (workspaceId === undefined) return null;
  return (
    <a class="event-owner" href={workspaceHref(workspaceId)}>
      {agentId === undefined ? workspaceId.slice(0, 8) : visibleText(agentId)}
    </a>
  );
}

function isMatch(event: ServiceEvent, text: string): boolean {
  if (text === '') return true;
  return [event.type, event.agentId, event.sessionId, event.workspaceId, describeEvent(event)].some(
    (field) => field?.toLowerCase().includes(text) === true,
  );
}
