import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { FileEntry } from '../api/types.ts';
import { useAction } from '../hooks/use-action.ts';
import { useResource } from '../hooks/use-resource.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { formatBytes } from '../parts/format.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { workspaceHref } from '../routing/route.ts';
import { PreviewView } from './preview-view.tsx';
import { readPreview } from './read-preview.ts';
import { saveFile } from './save-file.ts';

export interface FilePaneProps {
  readonly workspaceId: string;
  readonly file: string;
  /** As the list has it, if the file is in it: tells when it has changed. */
  readonly entry: FileEntry | undefined;
}

/** One file: what can be shown of it, and a download. */
export function FilePane({ workspaceId, file, entry }: FilePaneProps): VNode {
  const url = apiPath`workspaces/${workspaceId}/files/content`;
  const preview = useResource({
    key: [workspaceId, file, entry?.modifiedAt, entry?.sizeBytes].join('\n'),
    load: (api, signal) => readPreview(api, { url, query: { path: file }, signal }),
  });
  const { run, isRunning, error } = useAction();
  const name = file.slice(file.lastIndexOf('/') + 1);
  return (
    <section class="file-pane" aria-label="File">
      <div class="card-head">
        <h2>
          <Name text={name} />
        </h2>
        {preview.data !== undefined && <span class="quiet">{formatBytes(preview.data.sizeBytes)}</span>}
        <span class="buttons">
          <button
            type="button"
            class="small"
            disabled={isRunning}
            onClick={() => void run((api) => saveFile(api, url, { query: { path: file } }, name))}
          >
            {isRunning ? 'Downloading …' : 'Download'}
          </button>
        </span>
      </div>
      <ErrorNote error={error} />
      {preview.error?.code === 'not-a-file' && (
        <p>
          <a href={workspaceHref(workspaceId, 'files', { path: file, file: undefined })}>Open it as a folder</a>
        </p>
      )}
      <Loaded resource={preview}>{(data) => <PreviewView preview={data} name={name} />}</Loaded>
    </section>
  );
}
