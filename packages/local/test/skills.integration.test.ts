import {
  type Diagnostic,
  DiagnosticList,
  Layout,
  silentLogger,
  SkillStore,
  WorkspaceLock,
} from '@agent-workspace/core';
import {
  archivesContract,
  skillsContract,
  type SkillsSubject,
  type SkillsSubjectOptions,
  TemporaryDirectory,
} from '@agent-workspace/testing';
import { describe } from 'vitest';
import { LocalBackend } from '../src/local-backend.ts';

async function openAt(
  workdir: string,
  dispose: () => Promise<void>,
  { skillPaths = [] }: SkillsSubjectOptions = {},
): Promise<SkillsSubject> {
  const backend = new LocalBackend({ workdir });
  const layout = new Layout(workdir);
  const diagnostics = new DiagnosticList();
  const lock = new WorkspaceLock(backend, layout.lockFile);
  const emit = (): void => undefined;
  const store = new SkillStore({ backend, layout, lock, diagnostics, logger: silentLogger, emit, sync: false });
  await store.seed(skillPaths);
  return {
    backend,
    layout,
    list: (agentId) => store.list(agentId),
    add: (source, agentId) => store.add(source, agentId),
    remove: (name, agentId) => store.remove(name, agentId),
    purgeAgent: (agentId) => store.purgeAgent(agentId),
    diagnostics: (): readonly Diagnostic[] => diagnostics.list(),
    // What is on the disk already is never seeded again.
    reopen: () => openAt(workdir, async () => undefined),
    [Symbol.asyncDispose]: async () => {
      await backend.close();
      await dispose();
    },
  };
}

const open = async (options?: SkillsSubjectOptions): Promise<SkillsSubject> => {
  const directory = await TemporaryDirectory.create();
  return openAt(directory.path, async () => directory[Symbol.asyncDispose](), options);
};

describe('SkillStore on a LocalBackend', () => {
  skillsContract({ open });
  archivesContract({ open });
});
