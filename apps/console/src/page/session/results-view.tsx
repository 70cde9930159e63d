import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { apiPath } from '../api/api-client.ts';
import type { OffloadedResult } from '../api/types.ts';
import { PreviewView } from '../files/preview-view.tsx';
import { readPreview } from '../files/read-preview.ts';
import { saveFile } from '../files/save-file.ts';
import { useAction } from '../hooks/use-action.ts';
import { useResource } from '../hooks/use-resource.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { formatBytes } from '../parts/format.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Name } from '../parts/name.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import type { OfSession } from './context-view.tsx';

/** Results of calls that were too long for the model. */
export function ResultsView({ agentId, sessionId }: OfSession): VNode {
  const results = useResource({
    key: `${agentId}\n${sessionId}`,
    load: (api, signal) =>
      api.json<{ readonly results: readonly OffloadedResult[] }>(
        apiPath`agents/${agentId}/sessions/${sessionId}/results`,
        { signal },
      ),
    changesBy: ({ type }) => type === 'tool-result-offloaded',
  });
  return (
    <Loaded resource={results}>
      {(data) =>
        data.results.length === 0 ? (
          <p class="empty">No result was too long for the model. One that is will be kept here in full.</p>
        ) : (
          <ul class="cards">
            {data.results.map((result) => (
              <ResultCard
                key={result.name}
                url={apiPath`agents/${agentId}/sessions/${sessionId}/results/${result.name}`}
                result={result}
              />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function ResultCard({ url, result }: { readonly url: string; readonly result: OffloadedResult }): VNode {
  const [isOpen, setOpen] = useState(false);
  const { run, isRunning, error } = useAction();
  return (
    <li class="card">
      <div class="card-head">
        <strong class="mono">
          <Name text={result.name} />
        </strong>
        <span class="quiet">
          {formatBytes(result.sizeBytes)} · <TimeAgo at={result.modifiedAt} />
        </span>
        <span class="buttons">
          <button
            type="button"
            class="small"
            aria-label={`Download ${result.name}`}
            disabled={isRunning}
            onClick={() => void run((api) => saveFile(api, url, {}, result.name))}
          >
            Download
          </button>
        </span>
      </div>
      <ErrorNote error={error} />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Content</summary>
        {isOpen && <ResultContent url={url} name={result.name} />}
      </details>
    </li>
  );
}

function ResultContent({ url, name }: { readonly url: string; readonly name: string }): VNode {
  const preview = useResource({ key: url, load: (api, signal) => readPreview(api, { url, signal }) });
  return <Loaded resource={preview}>{(data) => <PreviewView preview={data} name={name} />}</Loaded>;
}
