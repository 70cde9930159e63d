import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { FileEntry } from '../api/types.ts';
import { useAction } from '../hooks/use-action.ts';
import { useResource } from '../hooks/use-resource.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { FileButton } from '../parts/file-button.tsx';
import { Loaded } from '../parts/loaded.tsx';
import type { FilePlace } from '../routing/route.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { EntryTable } from './entry-table.tsx';
import { FilePane } from './file-pane.tsx';

export interface FilesViewProps extends FilePlace {
  readonly workspaceId: string;
}

/** The files of a workspace: a folder, and one file of it. */
export function FilesView({ workspaceId, path, file }: FilesViewProps): VNode {
  const folder = useResource({
    key: `${workspaceId}\n${path}`,
    load: (api, signal) =>
      api.json<{ readonly entries: readonly FileEntry[] }>(apiPath`workspaces/${workspaceId}/files`, {
        query: { path },
        signal,
      }),
    changesBy: (event) =>
      event.workspaceId === workspaceId && (event.type === 'files-changed' || event.type === 'tool-ended'),
  });
  const upload = useAction();
  const put = async (files: readonly File[]): Promise<void> => {
    await upload.run(async (api) => {
      for (const body of files) {
        await api.json(apiPath`workspaces/${workspaceId}/files/content`, {
          method: 'PUT',
          query: { path: `${path}/${body.name}` },
          // What is there already stays as it is: the service says so.
          headers: { 'if-none-match': '*', 'content-type': 'application/octet-stream' },
          body,
        });
      }
    });
    folder.reload();
  };
  return (
    <div class="files">
      <section
        class="folder"
        aria-label="Folder"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void put([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <div class="toolbar">
          <Breadcrumbs workspaceId={workspaceId} path={path} />
          <FileButton
            label={upload.isRunning ? 'Uploading …' : 'Upload files'}
            isMultiple
            isDisabled={upload.isRunning}
            onFiles={(files) => void put(files)}
          />
        </div>
        <ErrorNote error={upload.error} />
        <Loaded resource={folder}>
          {({ entries }) =>
            entries.length === 0 ? (
              <p class="empty">This folder is empty. Upload files or drop them here, or have an agent write some.</p>
            ) : (
              <EntryTable
                key={path}
                workspaceId={workspaceId}
                path={path}
                file={file}
                entries={entries}
                onChange={folder.reload}
              />
            )
          }
        </Loaded>
      </section>
      {file !== undefined && (
        <FilePane
          key={file}
          workspaceId={workspaceId}
          file={file}
          entry={folder.data?.entries.find((entry) => entry.path === file)}
        />
      )}
    </div>
  );
}
