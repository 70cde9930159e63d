import type { VNode } from 'preact';
import { apiPath } from '../api/api-client.ts';
import type { Skill } from '../api/types.ts';
import { useAction } from '../hooks/use-action.ts';
import { useResource } from '../hooks/use-resource.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { FileButton } from '../parts/file-button.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Name } from '../parts/name.tsx';

/** The skills of a workspace, and how more come into it: as an archive or as a folder. */
export function SkillsView({ workspaceId }: { readonly workspaceId: string }): VNode {
  const skills = useResource({
    key: workspaceId,
    load: (api, signal) =>
      api.json<{ readonly skills: readonly Skill[] }>(apiPath`workspaces/${workspaceId}/skills`, { signal }),
    changesBy: (event) => event.workspaceId === workspaceId && event.type === 'skills-changed',
  });
  const { run, isRunning, error } = useAction();
  const upload = async (body: Blob | FormData): Promise<void> => {
    // A form says its own type, with the boundary of its parts.
    const headers = body instanceof Blob ? { 'content-type': 'application/octet-stream' } : {};
    const path = apiPath`workspaces/${workspaceId}/skills`;
    if (await run((api) => api.json(path, { method: 'POST', body, headers }))) skills.reload();
  };
  return (
    <>
      <div class="toolbar">
        <FileButton
          label="Upload an archive"
          accept=".zip,.tar,.tgz,.tar.gz"
          isDisabled={isRunning}
          onFiles={([file]) => file !== undefined && void upload(file)}
        />
        <FileButton
          label="Upload a folder"
          isFolder
          isDisabled={isRunning}
          onFiles={(files) => void upload(formOf(files))}
        />
        {isRunning && <span role="status">Uploading …</span>}
      </div>
      <ErrorNote error={error} />
      <Loaded resource={skills}>
        {(data) => (
          <>
            {data.skills.length === 0 && (
              <p class="empty">
                There is no skill. Upload a folder with a <code>SKILL.md</code> in it, or a zip or tar of one.
              </p>
            )}
            <ul class="cards">
              {data.skills.map((skill) => (
                <SkillCard key={skill.name} workspaceId={workspaceId} skill={skill} onChange={skills.reload} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

interface SkillCardProps {
  readonly workspaceId: string;
  readonly skill: Skill;
  readonly onChange: () => void;
}

function SkillCard({ workspaceId, skill: { name, description, path, body }, onChange }: SkillCardProps): VNode {
  return (
    <li class="card" aria-label={name}>
      <div class="card-head">
        <strong class="mono">
          <Name text={name} />
        </strong>
        <span class="buttons">
          <ConfirmButton
            label="Remove"
            subject={name}
            action={(api) => api.json(apiPath`workspaces/${workspaceId}/skills/${name}`, { method: 'DELETE' })}
            onDone={onChange}
          >
            Its folder <code>{path}</code> is removed from the workspace.
          </ConfirmButton>
        </span>
      </div>
      <p class="prose">{description}</p>
      <details>
        <summary>Instructions</summary>
        <LongText text={body} label={`Instructions of ${name}`} />
      </details>
    </li>
  );
}

/** Each file with its path in the folder. */
function formOf(files: readonly File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.webkitRelativePath || file.name);
  return form;
}
