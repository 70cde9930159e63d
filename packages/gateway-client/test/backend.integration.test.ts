import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, silentLogger } from '@agent-workspace/core';
import { describeBackendContract } from '@agent-workspace/testing';

import { GatewayBackend, GatewayKeeper } from '../src/index.ts';
import { ProcessSandbox } from './engine/process-workspace.ts';
import { bundle } from './gateway-files.ts';

const opened = new Map<Backend, ProcessSandbox>();

describeBackendContract('GatewayBackend', {
  async create() {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'aw-gateway-')));
    const sandbox = new ProcessSandbox({ directory, bundle });
    await sandbox.start();
    const keeper = new GatewayKeeper({ sandbox, logger: silentLogger });
    await keeper.start({ signal: new AbortController().signal });
    const backend = new GatewayBackend({ client: keeper.client, kind: sandbox.kind, workdir: directory });
    opened.set(backend, sandbox);
    return backend;
  },
  async destroy(backend) {
    await opened.get(backend)?.destroy();
    await rm(backend.workdir, { recursive: true, force: true });
  },
});
