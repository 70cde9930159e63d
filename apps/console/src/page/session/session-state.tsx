import type { VNode } from 'preact';
import type { Session } from '../api/types.ts';
import { Badge } from '../parts/badge.tsx';

export function SessionState({ state }: Pick<Session, 'state'>): VNode {
  switch (state) {
    case 'idle':
      return <Badge tone="quiet">idle</Badge>;
    case 'running':
      return <Badge tone="good">running</Badge>;
    case 'awaiting-approval':
      return <Badge tone="busy">asks you</Badge>;
  }
}
