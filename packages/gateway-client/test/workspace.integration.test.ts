import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWorkspaceContract } from '@agent-workspace/testing';
import { afterAll } from 'vitest';
import { ProcessSandbox, type ProcessSandboxOptions, ProcessWorkspace } from './engine/process-workspace.ts';
import { bundle } from './gateway-files.ts';

const places = await mkdtemp(join(tmpdir(), 'aw-workspaces-'));
const at = (place: string): ProcessSandboxOptions => ({ directory: join(places, place), bundle });

describeWorkspaceContract('process', {
  create: async (place, options) => new ProcessWorkspace({ ...options, ...at(place) }),
  cleanUp: (place) => new ProcessSandbox(at(place)).destroy(),
});

afterAll(() => rm(places, { recursive: true, force: true }));
