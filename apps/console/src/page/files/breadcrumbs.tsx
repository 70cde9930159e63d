import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Name } from '../parts/name.tsx';
import { ROOT, workspaceHref } from '../routing/route.ts';

/** The way to a folder. It has the focus after a change: the link that led there is gone. */
export function Breadcrumbs({ workspaceId, path }: { readonly workspaceId: string; readonly path: string }): VNode {
  const current = useRef<HTMLAnchorElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path) current.current?.focus();
    shown.current = path;
  }, [path]);
  const folders = foldersOf(path);
  return (
    <nav class="breadcrumbs" aria-label="Path">
      <ol>
        {folders.map(({ name, path: folderPath }, index) => (
          <li key={folderPath}>
            <a
              ref={index === folders.length - 1 ? current : null}
              href={workspaceHref(workspaceId, 'files', { path: folderPath, file: undefined })}
              aria-current={index === folders.length - 1 ? 'location' : undefined}
            >
              <Name text={name} />
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function foldersOf(path: string): readonly { readonly name: string; readonly path: string }[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const folders = names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }));
  return [{ name: 'workspace', path: ROOT.path }, ...folders];
}
