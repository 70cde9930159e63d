import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { Workspace } from '../api/types.ts';
import { EventList } from '../events/event-list.tsx';
import { FilesView } from '../files/files-view.tsx';
import { type Resource, useResource } from '../hooks/use-resource.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { type FilePlace, type WorkspaceTab, WORKSPACE_TABS, workspaceHref } from '../routing/route.ts';
import { McpsView } from './mcps-view.tsx';
import { Overview } from './overview.tsx';
import { SkillsView } from './skills-view.tsx';
import { ToolsView } from './tools-view.tsx';
import { STATE_EVERY_MS, WorkspaceState } from './workspace-state.tsx';

const TAB_NAMES: Readonly<Record<WorkspaceTab, string>> = {
  overview: 'Overview',
  tools: 'Tools',
  mcps: 'MCP servers',
  skills: 'Skills',
  files: 'Files',
  events: 'Events',
};

export interface WorkspacePageProps extends FilePlace {
  readonly workspaceId: string;
  readonly tab: WorkspaceTab;
}

export function WorkspacePage({ workspaceId, tab, path, file }: WorkspacePageProps): VNode {
  const workspace = useResource({
    key: workspaceId,
    load: (api, signal) => api.json<Workspace>(apiPath`workspaces/${workspaceId}`, { signal }),
    changesBy: (event) => event.workspaceId === workspaceId && /^(?:workspace|chat)-/u.test(event.type),
    everyMs: STATE_EVERY_MS,
  });
  const { data } = workspace;
  return (
    <Page
      title={data === undefined ? 'Workspace' : visibleText(data.agentId)}
      id={workspaceId}
      actions={data === undefined ? undefined : <WorkspaceState workspace={data} />}
    >
      <ErrorNote error={workspace.error} onRetry={workspace.reload} />
      <Tabs
        label="Workspace"
        tabs={WORKSPACE_TABS.map((name) => ({
          name: TAB_NAMES[name],
          href: workspaceHref(workspaceId, name),
          isCurrent: name === tab,
        }))}
      />
      <Tab workspaceId={workspaceId} tab={tab} path={path} file={file} workspace={workspace} />
    </Page>
  );
}

interface TabProps extends WorkspacePageProps {
  readonly workspace: Resource<Workspace>;
}

function Tab({ workspaceId, tab, path, file, workspace }: TabProps): VNode {
  switch (tab) {
    case 'overview':
      return <Overview workspace={workspace} workspaceId={workspaceId} />;
    case 'tools':
      return <ToolsView workspaceId={workspaceId} />;
    case 'mcps':
      return <McpsView workspaceId={workspaceId} />;
    case 'skills':
      return <SkillsView workspaceId={workspaceId} />;
    case 'files':
      return <FilesView workspaceId={workspaceId} path={path} file={file} />;
    case 'events':
      return <EventList hasOwners={false} isOfInterest={(event) => event.workspaceId === workspaceId} />;
  }
}
