import { mkdir, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { WorkspaceEvent } from '@agent-workspace/core';
import { askAnalyst } from './analyst.ts';
import { DemoFailedError, problemsOfRestart, problemsOfRun, takeInventory } from './checks.ts';
import { putMaterial } from './material.ts';
import { openWorkspace, seedsFor } from './open-workspace.ts';
import { type DemoOptions, UsageError } from './options.ts';
import { formatStep, type StepReport, toStepReport } from './progress.ts';
import { QUESTION } from './question.ts';
import { drawTree } from './tree.ts';

const SCOPE = { agentId: 'analyst', sessionId: 'demo' };

/** What `--json` prints. */
export interface DemoReport {
  readonly backend: string;
  readonly workdir: string;
  readonly tools: readonly string[];
  readonly mcps: readonly string[];
  readonly skills: readonly string[];
  readonly steps: readonly StepReport[];
  readonly answer: string;
  /** Paths of all that was offloaded, as the agent sees them. */
  readonly offloaded: readonly string[];
  readonly durations: {
    readonly openMs: number;
    readonly agentMs: number;
    readonly reopenMs: number;
    readonly totalMs: number;
  };
}

/**
 * Lets an agent answer a question in a new workspace, closes it, opens it again and looks whether
 * all is there.
 *
 * @param tell gets the progress, a line at a time
 * @throws UsageError; DemoFailedError with what is not as it has to be
 */
export async function runDemo(options: DemoOptions, tell: (line: string) => void): Promise<DemoReport> {
  const startedAt = performance.now();
  const workdir = await makeWorkdir(options.keep);
  const { backend } = options;

  const offloaded = new Map<string, WorkspaceEvent['type']>();
  const onEvent = (event: WorkspaceEvent): void => {
    if (event.type === 'context-offloaded' || event.type === 'tool-result-offloaded' || event.type === 'data-offloaded')
      offloaded.set(event.path, event.type);
  };
  const pathsOf = (type: WorkspaceEvent['type']): string[] =>
    [...offloaded].filter(([, each]) => each === type).map(([path]) => path);

  tell(`A ${backend} workspace in ${workdir}`);
  await using first = await openWorkspace({ backend, workdir, seeds: seedsFor(workdir), onEvent });
  await putMaterial(first);
  const openMs = since(startedAt);

  const session = first.session(SCOPE);
  tell(`\nAsked: ${QUESTION}\n`);
  const askedAt = performance.now();
  const steps: StepReport[] = [];
  const usedTools = new Set<string>();
  const answer = await askAnalyst({
    session,
    model: options.model,
    onProblem: ({ server, error }) => tell(`The server ${server} is not there: ${String(error)}`),
    onCall: (call) => {
      const step = toStepReport(call);
      steps.push(step);
      usedTools.add(call.tool);
      tell(formatStep(step));
    },
  });
  const agentMs = since(askedAt);
  tell(`\nAnswer: ${answer}\n`);

  const inventory = await takeInventory(first, session, SCOPE.sessionId);
  const toolResults = pathsOf('tool-result-offloaded');
  const isScripted = options.model === undefined;
  // A real model takes its own way, so that only what it did is looked for again.
  if (isScripted) failOn(problemsOfRun({ inventory, usedTools, toolResults }));
  await first.close();

  const reopenedAt = performance.now();
  await using second = await openWorkspace({ backend, workdir });
  const scripted = isScripted ? { answer, tablePath: toolResults[0] ?? '' } : undefined;
  failOn(await problemsOfRestart(second, second.session(SCOPE), { inventory, sessionId: SCOPE.sessionId, scripted }));
  const reopenMs = since(reopenedAt);

  tell('Closed and opened again: all that was declared and stored is there.\n');
  tell(workdir);
  for (const line of await drawTree(second.backend, workdir)) tell(line);
  return {
    backend,
    workdir,
    tools: inventory.tools,
    mcps: inventory.mcps,
    skills: inventory.skills,
    steps,
    answer,
    offloaded: [...offloaded.keys()],
    durations: { openMs, agentMs, reopenMs, totalMs: since(startedAt) },
  };
}

async function makeWorkdir(keep: string | undefined): Promise<string> {
  if (keep === undefined) return await realpath(await mkdtemp(join(tmpdir(), 'agent-workspace-')));
  const directory = resolve(keep);
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) throw new UsageError(`${directory} is not empty.`);
  return await realpath(directory);
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new DemoFailedError(problems);
}
