import { fileURLToPath } from 'node:url';
import type { McpDeclarationInput, Workspace, WorkspaceEventListener } from '@agent-workspace/core';
import { LocalWorkspace } from '@agent-workspace/local';
import type { DemoOptions } from './options.ts';

export interface OpenWorkspaceOptions {
  readonly backend: DemoOptions['backend'];
  readonly workdir: string;
  /** What a brand-new workspace begins with. Default: nothing. */
  readonly seeds?: Seeds | undefined;
  readonly onEvent?: WorkspaceEventListener | undefined;
}

export interface Seeds {
  readonly defaultMcps: readonly McpDeclarationInput[];
  readonly skillPaths: readonly string[];
}

/** The only place that knows one backend from another. */
export async function openWorkspace({ backend, workdir, seeds, onEvent }: OpenWorkspaceOptions): Promise<Workspace> {
  switch (backend) {
    case 'local':
      return await LocalWorkspace.open({ workdir, onEvent, ...seeds });
  }
}

/** The app's skill, and two servers from npm: one for files, one that remembers. */
export function seedsFor(workdir: string): Seeds {
  const files = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
  const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
  return {
    defaultMcps: [
      { name: 'files', command: process.execPath, args: [files, workdir] },
      {
        name: 'memory',
        command: process.execPath,
        args: [memory],
        env: { MEMORY_FILE_PATH: `${workdir}/memory.jsonl` },
      },
    ],
    skillPaths: [fileURLToPath(new URL('../skills/table-report', import.meta.url))],
  };
}
