import type { VNode } from 'preact';
import type { Workspace } from '../api/types.ts';
import { useNow } from '../hooks/use-now.ts';
import { Badge } from '../parts/badge.tsx';
import { formatCountdown } from '../parts/format.ts';

/** Who uses a workspace, and since when nobody does, no event tells. To ask opens none, and keeps none open. */
export const STATE_EVERY_MS = 5_000;

export function WorkspaceState({ workspace: { status, isInUse } }: { readonly workspace: Workspace }): VNode {
  if (isInUse) return <Badge tone="busy">in use</Badge>;
  return <Badge tone={status === 'open' ? 'good' : 'quiet'}>{status}</Badge>;
}

export interface CountProps {
  readonly workspace: Workspace;
  /** When it was read: durations were true then. */
  readonly readAtMs: number;
}

export function WorkspaceAge({ workspace: { ageMs, createdAt }, readAtMs }: CountProps): VNode {
  const now = useNow();
  return (
    <time dateTime={createdAt} title={new Date(createdAt).toLocaleString()}>
      {formatCountdown(ageMs + now - readAtMs)}
    </time>
  );
}

/** How long it stays open if nobody uses it; it is closed some time after that. */
export function Eviction({ workspace: { evictsInMs }, readAtMs }: CountProps): VNode {
  const now = useNow();
  if (evictsInMs === null) return <span class="quiet">–</span>;
  const restMs = evictsInMs - (now - readAtMs);
  return <>{restMs > 0 ? `in ${formatCountdown(restMs)}` : 'due'}</>;
}
