import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { apiPath } from '../api/api-client.ts';
import type { FileEntry } from '../api/types.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { formatBytes, formatCount } from '../parts/format.ts';
import { Name } from '../parts/name.tsx';
import { type FilePlace, workspaceHref } from '../routing/route.ts';

/** Rows that are drawn at first, and again each time that more are asked for: thousands would freeze the page. */
const ROWS = 300;

export interface EntryTableProps extends FilePlace {
  readonly workspaceId: string;
  readonly entries: readonly FileEntry[];
  readonly onChange: () => void;
}

export function EntryTable({ workspaceId, path, file, entries, onChange }: EntryTableProps): VNode {
  const [filter, setFilter] = useState('');
  const [rows, setRows] = useState(ROWS);
  const matching = entries
    .filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
    .toSorted((a, b) => Number(b.kind === 'directory') - Number(a.kind === 'directory') || (a.name < b.name ? -1 : 1));
  return (
    <>
      {entries.length > ROWS / 10 && (
        <div class="toolbar">
          <input
            type="search"
            aria-label="Filter files"
            placeholder="Filter"
            value={filter}
            onInput={({ currentTarget }) => (setFilter(currentTarget.value), setRows(ROWS))}
          />
          <span class="quiet">
            {formatCount(matching.length, 'file')}
            {matching.length > rows && `, ${rows} shown`}
          </span>
        </div>
      )}
      <table class="entries">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="wide">
              Modified
            </th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {matching.slice(0, rows).map((entry) => (
            <EntryRow
              key={entry.name}
              workspaceId={workspaceId}
              folder={path}
              entry={entry}
              isShown={entry.path === file}
              onChange={onChange}
            />
          ))}
        </tbody>
      </table>
      {matching.length > rows && (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          Show {Math.min(ROWS, matching.length - rows)} more
        </button>
      )}
    </>
  );
}

interface EntryRowProps {
  readonly workspaceId: string;
  readonly folder: string;
  readonly entry: FileEntry;
  /** Whether it is the file that is looked at. */
  readonly isShown: boolean;
  readonly onChange: () => void;
}

function EntryRow({ workspaceId, folder, entry, isShown, onChange }: EntryRowProps): VNode {
  const { name, path, kind, sizeBytes, modifiedAt } = entry;
  const place = kind === 'directory' ? { path, file: undefined } : { path: folder, file: path };
  return (
    <tr class={isShown ? 'current' : undefined}>
      <th scope="row">
        <a
          class={`entry entry-${kind}`}
          href={workspaceHref(workspaceId, 'files', place)}
          aria-current={isShown ? 'true' : undefined}
        >
          <span class="visually-hidden">{kind} </span>
          <Name text={name} />
        </a>
      </th>
      <td class="number">{kind === 'file' ? formatBytes(sizeBytes) : ''}</td>
      <td class="wide">
        <time dateTime={modifiedAt}>{new Date(modifiedAt).toLocaleString('sv-SE')}</time>
      </td>
      <td class="actions">
        <ConfirmButton
          label="Remove"
          subject={name}
          action={(api) =>
            api.json(apiPath`workspaces/${workspaceId}/files`, {
              method: 'DELETE',
              query: { path, recursive: kind === 'directory' ? 'true' : undefined },
            })
          }
          onDone={onChange}
        >
          {kind === 'directory' ? 'The folder is removed with all that is in it.' : 'It cannot be had back.'}
        </ConfirmButton>
      </td>
    </tr>
  );
}
