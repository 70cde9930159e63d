import { tmpdir } from 'node:os';
import { WorkspaceError } from '@agent-workspace/core';
import { CLUSTER_OPTIONS, clusterValues } from '../backends/cluster-options.ts';
import { EXIT, type Io } from '../io.ts';
import { needPackage } from '../machine/engine-package.ts';
import { type GcPlan, type GcRules, type MachineSurvey, planGc, planPodGc } from '../machine/gc-plan.ts';
import { findSocketDirectories, removeSocketDirectory } from '../machine/socket-directories.ts';
import { type OptionTable, type OptionValues, parseOptions } from '../options/option-table.ts';
import { commaList, durationMs, oneOf } from '../options/values.ts';
import { Progress } from '../output/progress.ts';
import { megabytes } from '../output/table.ts';
import { UsageError } from '../usage-error.ts';
import type { Command } from './command.ts';

const ENGINES = ['docker', 'kubernetes'] as const;
const KINDS = ['containers', 'images', 'sockets'] as const;
const DEFAULT_AGE = '1d';
const DOCKER_ONLY = ['only', 'with-data', 'docker-host'] as const;

const OPTIONS = {
  backend: { type: 'string', value: 'NAME', help: 'where: docker or kubernetes; default docker' },
  force: { type: 'boolean', help: 'remove it; without this, only say what would be removed' },
  only: {
    type: 'string',
    value: 'LIST',
    help: 'docker: of containers, images, sockets, with commas between; default all',
  },
  'older-than': {
    type: 'string',
    value: 'TIME',
    help: `leave what is younger, such as 30m or 7d; default ${DEFAULT_AGE}`,
  },
  manager: { type: 'string', value: 'ID', help: 'only containers or Pods of this manager; default: of every one' },
  'with-data': { type: 'boolean', help: 'docker: also containers that have the only copy of their files' },
  json: { type: 'boolean', help: 'print one JSON line' },
  'docker-host': { type: 'string', value: 'URL', help: 'where the engine is; default: as for the docker command' },
  ...CLUSTER_OPTIONS,
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
directories for sockets that no container has mounted; with --backend kubernetes, Pods that have ended. Only with
--force it removes them. Files in directories, volumes and claims stay.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values } = parseOptions(OPTIONS, argv);
    const engine = oneOf('backend', values.backend ?? 'docker', ENGINES);
    const { removals, kept } = engine === 'docker' ? await findOnMachine(values, io) : await findInCluster(values, io);
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

/** What is to be removed, and what stays although it looks like rubbish. */
interface Findings {
  readonly removals: readonly Removal[];
  readonly kept: GcPlan['kept'];
}

function rulesOf(values: Values): GcRules {
  return {
    now: Date.now(),
    olderThanMs: durationMs('older-than', values['older-than'] ?? DEFAULT_AGE),
    managerId: values.manager,
    takesData: values['with-data'] === true,
  };
}

async function findOnMachine(values: Values, io: Io): Promise<Findings> {
  const kinds = (commaList('only', values.only === undefined ? undefined : [values.only]) ?? KINDS).map((kind) =>
    oneOf('only', kind, KINDS),
  );
  const rules = rulesOf(values);
  const plan = planGc(await survey(values, io), rules);
  return {
    removals: await removalsOf(plan, kinds, values['docker-host']),
    kept: kinds.includes('containers') ? plan.kept : [],
  };
}

async function findInCluster(values: Values, io: Io): Promise<Findings> {
  const unused = DOCKER_ONLY.find((name) => values[name] !== undefined);
  if (unused !== undefined) throw new UsageError(`--${unused} is for --backend docker.`);
  const rules = rulesOf(values);
  needPackage('kubernetes');
  const { surveyCluster, removeWorkspacePod } = await import('@agent-workspace/kubernetes');
  const cluster = clusterValues(values, io.directory);
  const { namespace, workspaces } = await surveyCluster({ ...cluster, signal: io.signal });
  const removals = planPodGc(workspaces, rules).map((workspace) => ({
    what: `Pod ${namespace}/${workspace.name} (${workspace.state}) of the workspace ${workspace.workspaceId}`,
    remove: () => removeWorkspacePod({ ...cluster, workspace }),
  }));
  return { removals, kept: [] };
}

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
