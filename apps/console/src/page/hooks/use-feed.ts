import { useEffect, useState } from 'preact/hooks';
import type { FeedView } from '../events/event-feed.ts';
import { useServices } from './services.ts';

/** The newest view of the events. */
export function useFeed(): FeedView {
  const { feed } = useServices();
  const [view, setView] = useState(feed.view);
  useEffect(() => {
    const update = (): void => setView(feed.view);
    update();
    return feed.watch(update);
  }, [feed]);
  return view;
}
