import type { VNode } from 'preact';

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to the parts of a thing: each has a URL of its own, so they are no ARIA tabs. */
export function Tabs({ label, tabs }: TabsProps): VNode {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ name, href, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
