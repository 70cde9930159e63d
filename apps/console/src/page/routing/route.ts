export const WORKSPACE_TABS = ['overview', 'tools', 'mcps', 'skills', 'files', 'events'] as const;
export type WorkspaceTab = (typeof WORKSPACE_TABS)[number];

export const SESSION_TABS = ['chat', 'context', 'results', 'events'] as const;
export type SessionTab = (typeof SESSION_TABS)[number];

/** Where in a workspace's files one looks. */
export interface FilePlace {
  /** The folder that is listed. */
  readonly path: string;
  /** The file that is shown beside it, if any. */
  readonly file: string | undefined;
}

/** Which view the page shows; all of it is in the fragment of the URL. */
export type Route =
  | { readonly view: 'workspaces' }
  | ({ readonly view: 'workspace'; readonly workspaceId: string; readonly tab: WorkspaceTab } & FilePlace)
  | { readonly view: 'sessions' }
  | { readonly view: 'session'; readonly agentId: string; readonly sessionId: string; readonly tab: SessionTab }
  | { readonly view: 'events' }
  | { readonly view: 'unknown' };

/** The working directory of a workspace, and no file of it. */
export const ROOT: FilePlace = { path: '.', file: undefined };

/** The link to a view. */
export function hrefOf(route: Route): string {
  switch (route.view) {
    case 'workspaces':
    case 'unknown':
      return '#/';
    case 'workspace': {
      const query = new URLSearchParams();
      if (route.path !== ROOT.path) query.set('path', route.path);
      if (route.file !== undefined) query.set('file', route.file);
      const fragment = `#/workspaces/${encodeURIComponent(route.workspaceId)}/${route.tab}`;
      return query.size === 0 ? fragment : `${fragment}?${query}`;
    }
    case 'session':
      return `#/agents/${encodeURIComponent(route.agentId)}/sessions/${encodeURIComponent(route.sessionId)}/${route.tab}`;
    case 'sessions':
    case 'events':
      return `#/${route.view}`;
  }
}

export function workspaceHref(workspaceId: string, tab: WorkspaceTab = 'overview', place: FilePlace = ROOT): string {
  return hrefOf({ view: 'workspace', workspaceId, tab, ...place });
}

export function sessionHref(
  { agentId, sessionId }: { readonly agentId: string; readonly sessionId: string },
  tab: SessionTab = 'chat',
): string {
  return hrefOf({ view: 'session', agentId, sessionId, tab });
}

/** The view that a fragment asks for. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/u, '').split('?', 2);
  const segments = decode(path.split('/').filter((segment) => segment !== ''));
  const [first, second, third, fourth, fifth] = segments;
  if (segments.length === 0) return { view: 'workspaces' };
  if (first === 'sessions' && segments.length === 1) return { view: 'sessions' };
  if (first === 'events' && segments.length === 1) return { view: 'events' };
  if (first === 'workspaces' && second !== undefined && segments.length <= 3) {
    const tab = WORKSPACE_TABS.find((name) => name === (third ?? 'overview'));
    const parameters = new URLSearchParams(query);
    const place = { path: parameters.get('path') ?? ROOT.path, file: parameters.get('file') ?? undefined };
    if (tab !== undefined) return { view: 'workspace', workspaceId: second, tab, ...place };
  }
  if (first === 'agents' && second !== undefined && third === 'sessions' && fourth !== undefined) {
    const tab = SESSION_TABS.find((name) => name === (fifth ?? 'chat'));
    if (tab !== undefined) return { view: 'session', agentId: second, sessionId: fourth, tab };
  }
  return { view: 'unknown' };
}

function decode(segments: readonly string[]): readonly string[] {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    // A stray percent sign: no link of ours.
    return ['unknown'];
  }
}
