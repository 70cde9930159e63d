import { buildImage } from '@agent-workspace/docker';
import { requireEngine } from '@agent-workspace/testing';
import Docker from 'dockerode';

/** Whether the tests in a container can run here: with an engine, and what an image is built from. */
export const hasDocker: boolean = await requireEngine('docker', () => buildImage());

/** An image is built, with packages from npm in it, where it is not there. */
export const BUILD_TIMEOUT_MS = 300_000;

/** How many containers a workspace has had, and how many of them are gone. */
export async function containersOf(
  workspaceId: string,
): Promise<{ readonly created: number; readonly removed: number }> {
  const events = await new Docker().getEvents({
    since: 0,
    until: Math.ceil(Date.now() / 1000),
    filters: { type: ['container'], label: [`agent-workspace.workspace-id=${workspaceId}`] },
  });
  let text = '';
  for await (const chunk of events) text += String(chunk);
  const actions = text.split('\n').flatMap((line) => /"Action":"(create|destroy)"/u.exec(line)?.[1] ?? []);
  return {
    created: actions.filter((action) => action === 'create').length,
    removed: actions.filter((action) => action === 'destroy').length,
  };
}
