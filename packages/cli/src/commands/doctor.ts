import { BACKENDS } from '../backends/backend.ts';
import { CLUSTER_OPTIONS, clusterValues } from '../backends/cluster-options.ts';
import { EXIT } from '../io.ts';
import { type CheckResult, machineChecks } from '../machine/checks.ts';
import { parseOptions, type OptionTable } from '../options/option-table.ts';
import { oneOf } from '../options/values.ts';
import { Progress } from '../output/progress.ts';
import type { Command } from './command.ts';

const OPTIONS = {
  backend: {
    type: 'string',
    value: 'NAME',
    help: 'what has to work for exit code 0: local, docker, e2b or\nkubernetes; default local',
  },
  json: { type: 'boolean', help: 'print one JSON line' },
  'docker-host': { type: 'string', value: 'URL', help: 'where the engine is; default: as for the docker command' },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

const MARKS = { ok: '✓', missing: '-', failed: '✗' } as const;

/** Says what this machine can run, and how to get the rest. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'say what this machine can run, and how to get the rest',
  usage: '[option]…',
  description: `Looks at Node, the platform, the search, the Docker Engine and E2B, and at a cluster where --backend
kubernetes asks for it. Exits with 0 if the backend works that --backend names, and with 1 otherwise.`,
  options: OPTIONS,
  run: async (argv, io) => {
    const { values } = parseOptions(OPTIONS, argv);
    const backend = oneOf('backend', values.backend ?? 'local', BACKENDS);
    const { environment, signal } = io;
    const checks = machineChecks({
      environment,
      signal,
      dockerHost: values['docker-host'],
      cluster: backend === 'kubernetes' ? clusterValues(values, io.directory) : undefined,
      nodeVersion: process.versions.node,
      platform: process.platform,
      architecture: process.arch,
    });
    const results: (CheckResult & { readonly isNeeded: boolean })[] = [];
    {
      using progress = new Progress({ ...io, say: io.isTerminal ? io.say : () => undefined });
      for (const { name, neededBy, run } of checks) {
        progress.step(`Looking at ${name}…`);
        results.push({ name, ...(await run()), isNeeded: neededBy.includes(backend) });
      }
    }
    const isFine = results.every(({ state, isNeeded }) => state === 'ok' || !isNeeded);
    if (values.json === true) {
      io.print(JSON.stringify({ backend, isFine, checks: results }));
    } else {
      for (const { name, state, detail, advice } of results) {
        io.print(`${MARKS[state]} ${name.padEnd(11)}${detail}`);
        if (advice) io.print(`${' '.repeat(13)}${advice}`);
      }
      io.print(isFine ? `\nThe ${backend} backend can run here.` : `\nThe ${backend} backend cannot run here yet.`);
    }
    return isFine ? EXIT.fine : EXIT.failed;
  },
};
