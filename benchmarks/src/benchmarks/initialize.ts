import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalWorkspace } from '@agent-workspace/local';
import type { Benchmark } from '../benchmark.ts';
import { measure, type Subject } from '../measure.ts';
import { makeRow, type Row } from '../row.ts';

/** What AgentScope 2 takes for the same, measured on a machine of this kind. */
const AGENTSCOPE_MS = 21;
const FIVE_TIMES_FASTER = 0.2;

async function compareWithAgentScope(name: string, nextDirectory: () => Promise<string>): Promise<readonly Row[]> {
  let workdir = '';
  let workspace: LocalWorkspace | undefined;
  const subject: Subject = {
    name: 'ours',
    prepare: async () => {
      workdir = await nextDirectory();
    },
    call: async () => {
      workspace = await LocalWorkspace.open({ workdir });
    },
    finish: async () => workspace?.close(),
  };
  const medians = await measure([subject], { calls: 60, warmUpCalls: 10 });
  return [
    makeRow({
      name,
      ours: medians.get('ours') ?? Number.NaN,
      against: AGENTSCOPE_MS,
      againstName: 'AgentScope',
      bar: FIVE_TIMES_FASTER,
    }),
  ];
}

/** In an empty directory. */
export const initializeCold: Benchmark = {
  name: 'initialize-cold',
  run: (scratch) => compareWithAgentScope('initialize-cold', () => mkdtemp(join(scratch, 'cold-'))),
};

/** Where a workspace has been before. */
export const initializeExisting: Benchmark = {
  name: 'initialize-existing',
  async run(scratch) {
    const workdir = await mkdtemp(join(scratch, 'existing-'));
    return await compareWithAgentScope('initialize-existing', async () => workdir);
  },
};
