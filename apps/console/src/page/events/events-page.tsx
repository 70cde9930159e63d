import type { VNode } from 'preact';
import { Page } from '../parts/page.tsx';
import { EventList } from './event-list.tsx';

export function EventsPage(): VNode {
  return (
    <Page title="Events" id="events">
      <EventList hasOwners />
    </Page>
  );
}
