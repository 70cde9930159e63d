import { type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import type { ServiceStatus } from '../api/types.ts';
import type { EventFeed } from '../events/event-feed.ts';

/** What every view of a signed-in page works with. */
export interface Services {
  readonly api: ApiClient;
  readonly feed: EventFeed;
  /** As it was when the page signed in. */
  readonly status: ServiceStatus;
}

export const ServicesContext: Context<Services | undefined> = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error('This view is shown only to those who are signed in.');
  return services;
}
