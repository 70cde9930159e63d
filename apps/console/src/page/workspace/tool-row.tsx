import type { VNode } from 'preact';
import type { Tool } from '../api/types.ts';
import { Badge } from '../parts/badge.tsx';
import { Name } from '../parts/name.tsx';

/** One tool; what it says of itself beyond the first line is opened. */
export function ToolRow({ tool: { name, description, isReadOnly, server } }: { readonly tool: Tool }): VNode {
  const [first = '', ...rest] = description.trim().split('\n');
  return (
    <li class="tool">
      <div class="tool-name">
        <strong class="mono">
          <Name text={name} />
        </strong>
        <Badge tone="quiet">{isReadOnly ? 'reads' : 'writes'}</Badge>
        {server !== undefined && !name.includes(server) && (
          <span class="quiet">
            of <Name text={server} />
          </span>
        )}
      </div>
      {rest.length > 0 ? (
        <details>
          <summary>{first}</summary>
          <p class="prose">{rest.join('\n').trim()}</p>
        </details>
      ) : (
        <p class="prose">{first}</p>
      )}
    </li>
  );
}
