import { mkdtemp, rm } from 'node:fs/promises';
import { describe } from 'vitest';
import { LocalBackend } from '../local-backend.ts';
import { execContract } from '../../../testing/src/backend-contract/exec.ts';
import { backgroundContract } from '../../../testing/src/backend-contract/background.ts';
const options = {
  create: async () => new LocalBackend({ workdir: await mkdtemp('/tmp/contract-') }),
  destroy: (b: { workdir: string }) => rm(b.workdir, { recursive: true }),
};
describe('local', () => { execContract(options); backgroundContract(options); });
