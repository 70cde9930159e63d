import { chmod, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@agent-workspace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalWorkspace, type LocalWorkspaceOptions } from './local-workspace.ts';
import { installedRipgrep } from './search/ripgrep-path.ts';

const A_WEEK_MS = 7 * 24 * 60 * 60 * 1000;

describe('the clean-up of media', () => {
  let place: string;
  let workdir: string;
  let list: string;
  let warnings: string[];

  beforeEach(async () => {
    place = await realpath(await mkdtemp(join(tmpdir(), 'agent-workspace-media-')));
    workdir = join(place, 'workspace');
    list = join(workdir, '.workspace/media-cleanup.json');
    warnings = [];
  });

  afterEach(() => rm(place, { recursive: true, force: true }));

  const open = (options: Partial<LocalWorkspaceOptions> = {}): Promise<LocalWorkspace> => {
    const ignore = (): void => undefined;
    const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn: (message) => warnings.push(message) };
    return LocalWorkspace.open({ workdir, logger, ...options });
  };

  /** Stores a medium, with a reference in the session's context. @returns its name */
  async function offload(workspace: LocalWorkspace, sessionId: string, text: string): Promise<string> {
    const before = new Set(await readdir(join(workdir, 'data')).catch(() => []));
    const source = { type: 'base64', data: Buffer.from(text).toString('base64'), media_type: 'text/plain' } as const;
    const content = [{ type: 'data', id: `d-${text}`, name: null, source } as const];
    await workspace.offloadContext(sessionId, [{ id: `m-${text}`, name: 'a', role: 'assistant', content }]);
    const [name = ''] = (await readdir(join(workdir, 'data'))).filter((entry) => !before.has(entry));
    return name;
  }

  /** As if all media had been put down, and written, a week ago. */
  async function makeDue(): Promise<void> {
    const weekAgo = new Date(Date.now() - A_WEEK_MS);
    const names = await readdir(join(workdir, 'data'));
    for (const name of names) await utimes(join(workdir, 'data', name), weekAgo, weekAgo);
    await writeFile(list, JSON.stringify(Object.fromEntries(names.map((name) => [name, weekAgo.getTime()]))));
  }

  /** A program in place of ripgrep, `rg` being the real one in it. */
  async function ripgrep(script: string): Promise<string> {
    const path = join(place, 'rg');
    await writeFile(path, `#!/bin/sh\nrg() { ${await installedRipgrep()} "$@"; }\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('removes what no session refers to', async () => {
    await using workspace = await open();
    await offload(workspace, 'gone', 'one');
    const kept = await offload(workspace, 'stays', 'two');
    await rm(join(workdir, 'sessions/gone'), { recursive: true });
    await makeDue();
    await workspace.purgeSession('never-there');
    expect(await readdir(join(workdir, 'data'))).toEqual([kept]);
    expect(warnings).toEqual([]);
  });

  it('finds the references of a session whose file has a NUL byte in it', async () => {
    await using workspace = await open();
    const name = await offload(workspace, 's', 'one');
    const output = [{ type: 'text', id: 't', text: `\0 workspace:///data/${name}` } as const];
    const result = { type: 'tool_result', id: 'call', name: 'run', output, state: 'success', metadata: {} } as const;
    await workspace.offloadToolResult('s', result);
    await rm(join(workdir, 'sessions/s/context.jsonl'));
    await makeDue();
    await workspace.purgeSession('never-there');
    expect(await readdir(join(workdir, 'data'))).toEqual([name]);
  });

  it('reads on where a session goes in the middle of it', async () => {
    const gone = join(workdir, 'sessions/a');
    await using workspace = await open({ ripgrepPath: await ripgrep(`rg "$@" && rm -rf '${gone}'`) });
    await offload(workspace, 'a', 'one');
    const kept = await offload(workspace, 'b', 'two');
    await makeDue();
    await workspace.purgeSession('never-there');
    expect(await readdir(join(workdir, 'data'))).toEqual([kept]);
    expect(await readdir(join(workdir, 'sessions'))).toEqual(['b']);
  });

  it.each([
    { case: 'search does not reach everything', script: 'kill -KILL $$' },
    { case: 'there is no search', script: undefined },
  ])('removes nothing where $case, and says so', async ({ script }) => {
    const ripgrepPath = script === undefined ? join(place, 'no-rg') : await ripgrep(script);
    await using workspace = await open({ ripgrepPath });
    const name = await offload(workspace, 's', 'one');
    await makeDue();
    await workspace.purgeSession('never-there');
    expect(await readdir(join(workdir, 'data'))).toEqual([name]);
    expect(warnings).toEqual(['media are not cleaned up']);
    await workspace.close();

    await using again = await open();
    await rm(join(workdir, 'sessions'), { recursive: true });
    await again.purgeSession('never-there');
    expect(await readdir(join(workdir, 'data'))).toEqual([]);
  });
});
