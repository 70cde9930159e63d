import type { WorkspaceEvent } from '@agent-workspace/core';
import { askAnalyst } from './analyst.ts';
import { DemoFailedError, problemsOfRestart, problemsOfRun, takeInventory } from './checks.ts';
import { chooseDirectory } from './choose-directory.ts';
import { putMaterial } from './material.ts';
import type { DemoOptions } from './options.ts';
import { openPlace } from './places/open-place.ts';
import { formatBuildLine, formatStep, type StepReport, toStepReport } from './progress.ts';
import { QUESTION } from './question.ts';
import { SEEDS } from './seeds.ts';
import { drawTree } from './tree.ts';

const SCOPE = { agentId: 'analyst', sessionId: 'demo' };

/** What `--json` prints. */
export interface DemoReport {
  readonly backend: string;
  /** Of this host, if the files are there. */
  readonly directory?: string | undefined;
  /** Where they are, as the agent sees it. */
  readonly workdir: string;
  /** What is left when the demo is over. */
  readonly left: string;
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
  const { backend } = options;
  await using place = await openPlace(backend, {
    directory: await chooseDirectory(options.keep),
    cluster: options.cluster,
  });

  const offloaded = new Map<string, WorkspaceEvent['type']>();
  const onEvent = (event: WorkspaceEvent): void => {
    if (event.type === 'context-offloaded' || event.type === 'tool-result-offloaded' || event.type === 'data-offloaded')
      offloaded.set(event.path, event.type);
    if (event.type === 'build-progressed') {
      const line = formatBuildLine(event.message);
      if (line !== undefined) tell(line);
    }
  };
  const pathsOf = (type: WorkspaceEvent['type']): string[] =>
    [...offloaded].filter(([, each]) => each === type).map(([path]) => path);

  tell(`A workspace in ${place.name}`);
  await using first = await place.open({ seeds: SEEDS, onEvent });
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
  await using second = await place.open();
  const scripted = isScripted ? { answer, tablePath: toolResults[0] ?? '' } : undefined;
  failOn(await problemsOfRestart(second, second.session(SCOPE), { inventory, sessionId: SCOPE.sessionId, scripted }));
  const reopenMs = since(reopenedAt);

  tell('Closed and opened again: all that was declared and stored is there.\n');
  tell(second.workdir);
  for (const line of await drawTree(second.backend, second.workdir)) tell(line);
  return {
    backend,
    directory: place.directory,
    workdir: second.workdir,
    left: place.left,
    tools: inventory.tools,
    mcps: inventory.mcps,
    skills: inventory.skills,
    steps,
    answer,
    offloaded: [...offloaded.keys()],
    durations: { openMs, agentMs, reopenMs, totalMs: since(startedAt) },
  };
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

function failOn(problems: readonly string[]): void {
  if (problems.length > 0) throw new DemoFailedError(problems);
}
