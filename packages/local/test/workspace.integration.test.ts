import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWorkspaceContract } from '@agent-workspace/testing';
import { afterAll } from 'vitest';
import { LocalWorkspace } from '../src/index.ts';

const places = await mkdtemp(join(tmpdir(), 'agent-workspace-contract-'));

describeWorkspaceContract('local', {
  create: async (place, options) => new LocalWorkspace({ ...options, workdir: join(places, place) }),
  cleanUp: (place) => rm(join(places, place), { recursive: true, force: true }),
});

afterAll(() => rm(places, { recursive: true, force: true }));
