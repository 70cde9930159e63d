import type { VNode } from 'preact';
import { EventsPage } from '../events/events-page.tsx';
import { useServices } from '../hooks/services.ts';
import { useRoute } from '../hooks/use-route.ts';
import { Page } from '../parts/page.tsx';
import type { Route } from '../routing/route.ts';
import { SessionPage } from '../session/session-page.tsx';
import { SessionsPage } from '../session/sessions-page.tsx';
import { WorkspacePage } from '../workspace/workspace-page.tsx';
import { WorkspacesPage } from '../workspace/workspaces-page.tsx';
import { Connection } from './connection.tsx';
import { ThemePicker } from './theme-picker.tsx';

/** What stays on the page, whichever view is in it. */
export function Shell({ onSignOut }: { readonly onSignOut: () => void }): VNode {
  const route = useRoute();
  return (
    <div class="shell">
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          // The fragment is the view's.
          event.preventDefault();
          document.querySelector<HTMLElement>('h1')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="sidebar">
        <a class="brand" href="#/">
          <img src="icon.svg" alt="" width="22" height="22" />
          <span>Agent Workspace</span>
        </a>
        <Navigation route={route} />
        <Service onSignOut={onSignOut} />
      </header>
      <main id="main">
        <View route={route} />
      </main>
    </div>
  );
}

const SECTIONS = [
  { name: 'Workspaces', href: '#/', views: ['workspaces', 'workspace'] },
  { name: 'Sessions', href: '#/sessions', views: ['sessions', 'session'] },
  { name: 'Events', href: '#/events', views: ['events'] },
] as const;

function Navigation({ route }: { readonly route: Route }): VNode {
  return (
    <nav aria-label="Main">
      <ul>
        {SECTIONS.map(({ name, href, views }) => {
          const isHere = views.some((view) => view === route.view);
          const isThis = route.view === views[0];
          return (
            <li key={href}>
              <a href={href} class={isHere ? 'here' : undefined} aria-current={isThis ? 'page' : undefined}>
                {name}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Service({ onSignOut }: { readonly onSignOut: () => void }): VNode {
  const { status } = useServices();
  return (
    <div class="service">
      <Connection />
      <dl class="facts">
        <dt>Tenant</dt>
        <dd>{status.tenant}</dd>
        <dt>Backend</dt>
        <dd>{status.backend}</dd>
        <dt>Model</dt>
        <dd>{status.model}</dd>
      </dl>
      <ThemePicker />
      <button type="button" class="small" onClick={onSignOut}>
        Sign out
      </button>
    </div>
  );
}

function View({ route }: { readonly route: Route }): VNode {
  switch (route.view) {
    case 'workspaces':
      return <WorkspacesPage />;
    case 'workspace':
      return <WorkspacePage {...route} />;
    case 'sessions':
      return <SessionsPage />;
    case 'session':
      return <SessionPage {...route} />;
    case 'events':
      return <EventsPage />;
    case 'unknown':
      return (
        <Page title="No such page" id="unknown">
          <p>
            Nothing of the console is at this address. <a href="#/">Go to the workspaces.</a>
          </p>
        </Page>
      );
  }
}
