import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface PageProps {
  readonly title: string;
  /** What tells one page from another; the heading has the focus when it changes. */
  readonly id: string;
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A view with its heading. Who comes to it by a link starts there, as on a page that the browser loads. */
export function Page({ title, id, actions, children }: PageProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Agent Workspace`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  return (
    <>
      <header class="page-header">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </header>
      {children}
    </>
  );
}
