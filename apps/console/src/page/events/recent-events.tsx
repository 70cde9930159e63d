import type { VNode } from 'preact';
import type { ServiceEvent } from '../api/types.ts';
import { useFeed } from '../hooks/use-feed.ts';
import { EventRow } from './event-list.tsx';

/** About a screen of them. */
const SHOWN_EVENTS = 30;

export interface RecentEventsProps {
  readonly isOfInterest: (event: ServiceEvent) => boolean;
}

/** What has just happened, beside what it happens to. Not read out: what it is beside is. */
export function RecentEvents({ isOfInterest }: RecentEventsProps): VNode {
  const { entries } = useFeed();
  const shown = entries
    .filter(({ event }) => event.type !== 'tool-output' && isOfInterest(event))
    .slice(0, SHOWN_EVENTS);
  return (
    <section class="recent-events" aria-labelledby="recent-heading" tabIndex={0}>
      <h2 id="recent-heading">Live events</h2>
      {shown.length === 0 && <p class="empty">Nothing yet.</p>}
      <ol class="event-list">
        {shown.map(({ number, event }) => (
          <EventRow key={number} event={event} hasOwner={false} />
        ))}
      </ol>
    </section>
  );
}
