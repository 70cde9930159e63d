import assert from 'node:assert/strict';
import { eventually, type SdkCase } from './sdk-case.ts';

/** Enough for a sandbox to start and be written to, before it ends by itself. */
const SHORT_MS = 2_000;
const END_DEADLINE_MS = 15_000;

/** What becomes of sandboxes at the end of their time. */
export const cases: readonly SdkCase[] = [
  {
    name: 'timeout: connect extends it, and never shortens it',
    async run({ sdk, create }) {
      const sandbox = await create({ timeoutMs: 300_000 });
      const before = await sandbox.getInfo();
      await sdk.Sandbox.connect(sandbox.sandboxId, { timeoutMs: 10_000 });
      assert.equal((await sandbox.getInfo()).endAt.getTime(), before.endAt.getTime());
      await sandbox.connect({ timeoutMs: 600_000 });
      assert.ok((await sandbox.getInfo()).endAt.getTime() > before.endAt.getTime() + 200_000);
    },
  },
  {
    name: 'timeout: kills the sandbox, which is then neither found nor listed',
    async run({ sdk, create }) {
      const sandbox = await create({ timeoutMs: SHORT_MS, metadata: { timeout: 'kills' } });
      await eventually(async () => assert.equal(await sandbox.isRunning(), false), END_DEADLINE_MS);
      await assert.rejects(sandbox.getInfo(), sdk.SandboxNotFoundError);
      const listed = await sdk.Sandbox.list({ query: { metadata: { timeout: 'kills' } } }).nextItems();
      assert.deepEqual(listed, []);
    },
  },
  {
    name: 'timeout: 0 and below are refused or end it',
    async run({ sdk, create }) {
      await assert.rejects(sdk.Sandbox.create({ timeoutMs: 0 }), sdk.SandboxError);
      const sandbox = await create();
      await sandbox.setTimeout(0);
      await eventually(async () => assert.equal(await sandbox.isRunning(), false), END_DEADLINE_MS);
    },
  },
  {
    name: 'auto-pause: keeps files and processes for whoever connects',
    async run({ create }) {
      const sandbox = await create({ timeoutMs: SHORT_MS, lifecycle: { onTimeout: 'pause', autoResume: false } });
      await sandbox.files.write('kept.txt', 'content');
      const { pid } = await sandbox.commands.run('sleep 100', { background: true });
      await eventually(async () => assert.equal((await sandbox.getInfo()).state, 'paused'), END_DEADLINE_MS);
      assert.equal(await sandbox.isRunning(), false);
      await sandbox.connect({ timeoutMs: 60_000 });
      assert.equal((await sandbox.getInfo()).state, 'running');
      assert.equal(await sandbox.files.read('kept.txt'), 'content');
      assert.ok((await sandbox.commands.list()).some((process) => process.pid === pid));
    },
  },
  {
    name: 'auto-pause: without memory, it boots anew',
    async run({ create }) {
      const onTimeout = { action: 'pause', keepMemory: false } as const;
      const sandbox = await create({ timeoutMs: SHORT_MS, lifecycle: { onTimeout } });
      await sandbox.files.write('kept.txt', 'content');
      await sandbox.commands.run('sleep 100', { background: true });
      await eventually(async () => assert.equal((await sandbox.getInfo()).state, 'paused'), END_DEADLINE_MS);
      await sandbox.connect({ timeoutMs: 60_000 });
      assert.equal(await sandbox.files.read('kept.txt'), 'content');
      assert.deepEqual(await sandbox.commands.list(), []);
    },
  },
  {
    name: 'auto-resume: a call of the SDK wakes it, and its lifecycle says so',
    async run({ create }) {
      const lifecycle = { onTimeout: 'pause', autoResume: true } as const;
      const sandbox = await create({ timeoutMs: SHORT_MS, lifecycle });
      const info = await sandbox.getInfo();
      assert.deepEqual({ ...info.lifecycle }, { onTimeout: 'pause', autoResume: true });
      await sandbox.files.write('kept.txt', 'content');
      await eventually(async () => assert.equal((await sandbox.getInfo()).state, 'paused'), END_DEADLINE_MS);
      assert.equal(await sandbox.files.read('kept.txt'), 'content');
      const after = await sandbox.getInfo();
      assert.equal(after.state, 'running');
      assert.ok(after.endAt.getTime() - Date.now() > 250_000);
    },
  },
  {
    name: 'lifecycle: what cannot be is refused before it is asked for',
    async run({ sdk }) {
      await assert.rejects(
        sdk.Sandbox.create({ lifecycle: { onTimeout: 'kill', autoResume: true } }),
        sdk.InvalidArgumentError,
      );
    },
  },
  {
    name: 'list: by state',
    async run({ sdk, create }) {
      const metadata = { listed: 'by-state' };
      const [running, paused] = [await create({ metadata }), await create({ metadata })];
      await paused.pause();
      const listed = async (state?: ('running' | 'paused')[]): Promise<string[]> => {
        const query = state === undefined ? { metadata } : { metadata, state };
        return (await sdk.Sandbox.list({ query }).nextItems()).map(({ sandboxId }) => sandboxId).toSorted();
      };
      assert.deepEqual(await listed(['running']), [running.sandboxId]);
      assert.deepEqual(await listed(['paused']), [paused.sandboxId]);
      assert.deepEqual(await listed(), [running.sandboxId, paused.sandboxId].toSorted());
    },
  },
];
