import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSettings, type AgentSettingsOptions, type WorkspaceToolOutput } from '@agent-workspace/ai-sdk';
import type { Workspace, WorkspaceSession } from '@agent-workspace/core';
import { ToolLoopAgent } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TABLE_SOURCE } from '../src/material.ts';
import { type BackendName, openPlace } from '../src/places/open-place.ts';
import { type Call, scriptedModel, type StepView } from '../src/scripted-model.ts';
import { SEEDS } from '../src/seeds.ts';
import { BUILD_TIMEOUT_MS, hasDocker } from './docker.ts';
import { SCRIPT_PATH } from './script-path.ts';

/* The adapter on a real workspace, with the SDK's own agent. */

let parent: string;
/** Of this host: where the workspace's files are. */
let directory: string;
let workspace: Workspace;
let session: WorkspaceSession;

async function open(backend: BackendName): Promise<void> {
  parent = await mkdtemp(join(tmpdir(), 'adapter-test-'));
  directory = join(parent, 'workspace');
  vi.stubEnv('PATH', SCRIPT_PATH);
  workspace = await (await openPlace(backend, { directory })).open({ seeds: SEEDS });
  session = workspace.session({ agentId: 'coder', sessionId: 'chat' });
  await workspace.backend.writeFile(`${workspace.workdir}/airports.csv`, await readFile(TABLE_SOURCE));
}

afterEach(async () => {
  await workspace.destroy();
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true, force: true });
});

const readTable: Call = { tool: 'mcp__files__read_text_file', input: { path: 'airports.csv' } };
const noticePath = ({ results: [notice = ''] }: StepView): string =>
  /All of it is in (\S+)\. /u.exec(notice)?.[1] ?? '';

/** Runs an agent through these steps, and gives what each of its calls gave. */
async function runAgent(
  options: AgentSettingsOptions,
  ...steps: readonly ((view: StepView) => readonly Call[])[]
): Promise<readonly WorkspaceToolOutput[]> {
  const agent = new ToolLoopAgent({
    model: scriptedModel([...steps, () => 'done']),
    ...(await agentSettings(session, options)),
  });
  const result = await agent.generate({ prompt: 'go' });
  return result.steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as WorkspaceToolOutput));
}

const textOf = (output: WorkspaceToolOutput | undefined): string =>
  (output?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n');

const backends: readonly BackendName[] = hasDocker ? ['local', 'docker'] : ['local'];

describe.each(backends)('an agent on a workspace (%s)', (backend) => {
  // The first in a container may have to build its image.
  beforeEach(() => open(backend), BUILD_TIMEOUT_MS);

  it('[O09] finds a long result of a server where the notice says, from its own shell', async () => {
    const [offloaded, shown] = await runAgent(
      {},
      () => [readTable],
      (view) => [
        { tool: 'Bash', input: { command: `wc -c < '${noticePath(view)}'; tail -n 1 '${noticePath(view)}'` } },
      ],
    );
    expect(offloaded?.offloadedTo).toMatch(/\/sessions\/chat\/tool_result-call_1_1\.txt$/u);
    const table = await readFile(TABLE_SOURCE, 'utf8');
    expect(textOf(shown).trim().split('\n')).toEqual([
      String(Buffer.byteLength(table)),
      table.trimEnd().split('\n').at(-1),
    ]);
  });

  it('[O10] has a built-in tool for the notice where only servers are on', async () => {
    const [, shown] = await runAgent(
      { isEnabled: ({ name }) => name.startsWith('mcp__') },
      () => [readTable],
      (view) => [{ tool: 'Read', input: { file_path: noticePath(view), limit: 1 } }],
    );
    expect(textOf(shown)).toContain('iata,name,city,state,country,latitude,longitude');
  });

  it('[O05] is told of Bash where it has no Read', async () => {
    const [offloaded] = await runAgent({ isEnabled: ({ name }) => name === 'Bash' || name.startsWith('mcp__') }, () => [
      readTable,
    ]);
    expect(textOf(offloaded)).toContain('Read it with the Bash tool');
  });

  it('[S17] gets skills by their names only', async () => {
    const [fine, outside] = await runAgent({}, () => [
      { tool: 'Skill', input: { skill: 'table-report' } },
      { tool: 'Skill', input: { skill: '/etc' } },
    ]);
    expect(textOf(fine)).toContain('# Table report');
    expect(outside).toMatchObject({ state: 'error' });
  });

  it('finds SKILL.md at the path that its instructions have', async () => {
    const { instructions } = await agentSettings(session);
    const path = /\((\S+SKILL\.md)\)/u.exec(instructions)?.[1] ?? '';
    const [shown] = await runAgent({}, () => [{ tool: 'Read', input: { file_path: path } }]);
    expect(textOf(shown)).toContain('name: table-report');
  });

  it('keeps every one of many writes that a step makes at once', async () => {
    const files = Array.from({ length: 10 }, (_, index) => `file-${index}.txt`);
    const append = (name: string): Call => ({
      tool: 'Bash',
      input: { command: `n=$(cat all 2>/dev/null); printf '%s %s' "$n" ${name} > all` },
    });
    await runAgent({}, () => files.map(append));
    const all = await readFile(join(directory, 'all'), 'utf8');
    expect(all.trim().split(' ')).toEqual(files);
  });
});
