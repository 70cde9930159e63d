import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeBackendContract } from '@agent-workspace/testing';
import { LocalBackend } from '../src/local-backend.ts';

describeBackendContract('LocalBackend', {
  async create() {
    return new LocalBackend({ workdir: await realpath(await mkdtemp(join(tmpdir(), 'aw-backend-'))) });
  },
  destroy: (backend) => rm(backend.workdir, { recursive: true, force: true }),
});
