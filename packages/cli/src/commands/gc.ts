import { tmpdir } from 'node:os';
import { WorkspaceError } from '@agent-workspace/core';
import { EXIT, type Io } from '../io.ts';
import { needPackage } from '../machine/engine-package.ts';
import { type GcPlan, type MachineSurvey, planGc } from '../machine/gc-plan.ts';
import { findSocketDirectories, removeSocketDirectory } from '../machine/socket-directories.ts';
import { type OptionTable, type OptionValues, parseOptions } from '../options/option-table.ts';
import { commaList, durationMs, oneOf } from '../options/values.ts';
import { Progress } from '../output/progress.ts';
import { megabytes } from '../output/table.ts';
import type { Command } from './command.ts';

const KINDS = ['containers', 'images', 'sockets'] as const;
const DEFAULT_AGE = '1d';

const OPTIONS = {
  force: { type: 'boolean', help: 'remove it; without this, only say what would be removed' },
  only: { type: 'string', value: 'LIST', help: 'of containers, images, sockets, with commas between; default all' },
  'older-than': {
    type: 'string',
    value: 'TIME',
    help: `leave what is younger, such as 30m or 7d; default ${DEFAULT_AGE}`,
  },
  manager: { type: 'string', value: 'ID', help: 'only containers of this manager; default: of every one' },
  'with-data': { type: 'boolean', help: 'also containers that have the only copy of their files' },
  json: { type: 'boolean', help: 'print one JSON line' },
  'docker-host': { type: 'string', value: 'URL', help: 'where the engine is; default: as for the docker command' },
} as const satisfies OptionTable;

type Values = OptionValues<typeof OPTIONS>;

interface Removal {
  readonly what: string;
  readonly remove: () => Promise<void>;
}

/** Removes what workspaces left behind whose host has died. */
export const gcCommand: Command = {
  name: 'gc',
  summary: 'remove what dead workspaces left behind; says first what',
  usage: '[option]…',
  description: `Finds containers of workspaces that have ended without being removed, images that no container uses, and
directories for sockets that no container has mounted. Only with --force it removes them. Files in
directories and volumes stay.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values } = parseOptions(OPTIONS, argv);
    const kinds = (commaList('only', values.only === undefined ? undefined : [values.only]) ?? KINDS).map((kind) =>
      oneOf('only', kind, KINDS),
    );
    const olderThanMs = durationMs('older-than', values['older-than'] ?? DEFAULT_AGE);
    const plan = planGc(await survey(values, io), {
      now: Date.now(),
      olderThanMs,
      managerId: values.manager,
      takesData: values['with-data'] === true,
    });
    const removals = await removalsOf(plan, kinds, values['docker-host']);
    const kept = kinds.includes('containers') ? plan.kept : [];
    const problems = values.force === true ? await removeAll(removals, io) : [];
    if (values.json === true) {
      const found = removals.map(({ what }) => what);
      io.print(JSON.stringify({ [values.force === true ? 'removed' : 'wouldRemove']: found, kept, problems }));
    } else {
      report(removals, values.force === true, io);
      for (const { what, why } of kept) io.print(`Kept ${what}: ${why}.`);
    }
    return problems.length > 0 ? EXIT.failed : EXIT.fine;
  },
};

async function survey(values: Values, io: Io): Promise<MachineSurvey> {
  needPackage('docker');
  const { listWorkspaceContainers, listWorkspaceImages } = await import('@agent-workspace/docker');
  const options = { dockerHost: values['docker-host'], signal: io.signal };
  // Without the engine nobody knows which directories are in use, so that its absence is an error.
  const [containers, images, socketDirectories] = await Promise.all([
    listWorkspaceContainers(options),
    listWorkspaceImages(options),
    findSocketDirectories(tmpdir()),
  ]);
  return { containers, images, socketDirectories };
}

async function removalsOf(
  plan: GcPlan,
  kinds: readonly (typeof KINDS)[number][],
  dockerHost: string | undefined,
): Promise<readonly Removal[]> {
  const { removeWorkspaceContainer, removeWorkspaceImage } = await import('@agent-workspace/docker');
  const byKind: Readonly<Record<(typeof KINDS)[number], readonly Removal[]>> = {
    containers: plan.containers.map(({ id, state, workspaceId }) => ({
      what: `container ${id.slice(0, 12)} (${state}) ${workspaceId === undefined ? '' : `of the workspace ${workspaceId}`}`.trim(),
      remove: () => removeWorkspaceContainer({ id, dockerHost }),
    })),
    images: plan.images.map((image) => ({
      what: `image ${image.names.join(', ') || image.id} (${megabytes(image.sizeBytes)})`,
      remove: () => removeWorkspaceImage({ image, dockerHost }),
    })),
    sockets: plan.socketDirectories.map((directory) => ({
      what: `directory ${directory.path}`,
      remove: () => removeSocketDirectory(directory),
    })),
  };
  // Containers first, which may be the last to use an image or a directory.
  return KINDS.filter((kind) => kinds.includes(kind)).flatMap((kind) => byKind[kind]);
}

/** One that fails leaves the others to be removed. @returns what could not be removed, and why */
async function removeAll(removals: readonly Removal[], io: Io): Promise<readonly string[]> {
  const problems: string[] = [];
  using progress = new Progress(io);
  for (const { what, remove } of removals) {
    if (io.signal.aborted) break;
    progress.step(`Removing ${what}`);
    try {
      await remove();
    } catch (error) {
      if (!WorkspaceError.isInstance(error) && !(error instanceof Error && 'code' in error)) throw error;
      problems.push(`${what}: ${error.message}`);
    }
  }
  for (const problem of problems) io.say(`Could not remove ${problem}\n`);
  return problems;
}

function report(removals: readonly Removal[], isDone: boolean, io: Io): void {
  if (removals.length === 0) io.print('There is nothing to remove.');
  else if (isDone) io.print(`Removed ${removals.length} of what was found.`);
  else {
    for (const { what } of removals) io.print(`Would remove ${what}`);
    io.print('Nothing was removed. Add --force to remove it.');
  }
}
