import type { VNode } from 'preact';
import type { StreamState } from '../events/event-stream.ts';
import { useFeed } from '../hooks/use-feed.ts';

const TEXTS: Readonly<Record<StreamState, string>> = {
  connecting: 'connecting …',
  connected: 'connected',
  reconnecting: 'reconnecting …',
};

/** Whether what is shown is live. Changes are read out. */
export function Connection(): VNode {
  const { state, reason } = useFeed();
  return (
    <p class={`connection connection-${state}`} role="status" title={reason}>
      {TEXTS[state]}
    </p>
  );
}
