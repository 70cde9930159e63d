import type { VNode } from 'preact';
import { useNow } from '../hooks/use-now.ts';
import { formatCountdown } from './format.ts';

/** How long ago something was; the exact time shows on hover. */
export function TimeAgo({ at }: { readonly at: string }): VNode {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {formatCountdown(now - Date.parse(at))} ago
    </time>
  );
}
