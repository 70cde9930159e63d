import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually, type SdkCase } from './sdk-case.ts';

/** The life of sandboxes: how they are found again, paused and ended. */
export const cases: readonly SdkCase[] = [
  {
    name: 'create: is running, and knows what it is',
    async run({ create }) {
      const sandbox = await create({ timeoutMs: 60_000, metadata: { purpose: 'create' } });
      assert.equal(await sandbox.isRunning(), true);
      const info = await sandbox.getInfo();
      assert.equal(info.sandboxId, sandbox.sandboxId);
      assert.deepEqual(info.metadata, { purpose: 'create' });
      assert.equal(info.state, 'running');
      const lifeMs = info.endAt.getTime() - info.startedAt.getTime();
      assert.ok(lifeMs > 55_000 && lifeMs < 65_000, `${lifeMs} ms`);
      assert.match(info.envdVersion ?? '', /^0\.\d+\.\d+$/);
    },
  },
  {
    name: 'connect: to the same files and processes',
    async run({ sdk, sandbox }) {
      await sandbox.files.write('connected.txt', 'there');
      const command = await sandbox.commands.run('exec sleep 201.5', { background: true });
      const again = await sdk.Sandbox.connect(sandbox.sandboxId);
      assert.equal(again.sandboxId, sandbox.sandboxId);
      assert.equal(await again.files.read('connected.txt'), 'there');
      assert.equal(await again.commands.kill(command.pid), true);
      await command.wait().catch(() => undefined);
    },
  },
  {
    name: 'connect: to none is SandboxNotFoundError',
    async run({ sdk }) {
      await assert.rejects(sdk.Sandbox.connect('i0123456789abcdefghij'), sdk.SandboxNotFoundError);
    },
  },
  {
    name: 'kill: once, by the sandbox or by its id',
    async run({ sdk, create }) {
      const [first, second] = [await create(), await create()];
      assert.equal(await first.kill(), true);
      assert.equal(await first.kill(), false);
      assert.equal(await first.isRunning(), false);
      assert.equal(await sdk.Sandbox.kill(second.sandboxId), true);
      assert.equal(await sdk.Sandbox.kill(second.sandboxId), false);
      await assert.rejects(second.getInfo(), sdk.SandboxNotFoundError);
    },
  },
  {
    name: 'kill: while a command runs, which is told so',
    async run({ sdk, create }) {
      const sandbox = await create();
      const command = await sandbox.commands.run('sleep 60', { background: true });
      await sandbox.kill();
      await assert.rejects(command.wait(), (error) => {
        assert.ok(error instanceof sdk.TimeoutError);
        assert.match(error.message, /sandbox was killed or reached its end of life/);
        return true;
      });
      await assert.rejects(sandbox.commands.run('true'), sdk.SandboxError);
    },
  },
  {
    name: 'list: by metadata',
    async run({ sdk, create }) {
      const id = randomUUID();
      const metadata = { id, 'a key': 'v&=é' };
      const sandbox = await create({ metadata });
      await create({ metadata: { id: randomUUID() } });
      const found = await sdk.Sandbox.list({ query: { metadata } }).nextItems();
      assert.deepEqual(
        found.map((info) => [info.sandboxId, info.metadata, info.state]),
        [[sandbox.sandboxId, metadata, 'running']],
      );
      assert.deepEqual(await sdk.Sandbox.list({ query: { metadata: { id: randomUUID() } } }).nextItems(), []);
    },
  },
  {
    name: 'list: page by page',
    async run({ sdk, create }) {
      const metadata = { pages: randomUUID() };
      const made = [await create({ metadata }), await create({ metadata }), await create({ metadata })];
      const pages = sdk.Sandbox.list({ query: { metadata }, limit: 2 });
      const first = await pages.nextItems();
      assert.deepEqual([first.length, pages.hasNext], [2, true]);
      const second = await pages.nextItems();
      assert.deepEqual([second.length, pages.hasNext], [1, false]);
      assert.deepEqual(
        [...first, ...second].map((info) => info.sandboxId),
        made.map((sandbox) => sandbox.sandboxId).toReversed(),
      );
    },
  },
  {
    name: 'setTimeout: longer, and shorter until it ends',
    async run({ sdk, create }) {
      const sandbox = await create({ timeoutMs: 30_000 });
      await sandbox.setTimeout(120_000);
      const left = (await sandbox.getInfo()).endAt.getTime() - Date.now();
      assert.ok(left > 100_000, `${left} ms`);
      await sandbox.setTimeout(1_000);
      await eventually(async () => assert.equal(await sandbox.isRunning(), false));
      await assert.rejects(sandbox.setTimeout(1_000), sdk.SandboxNotFoundError);
    },
  },
  {
    name: 'pause and connect: files, variables and processes with the same pids',
    async run({ sdk, create }) {
      const sandbox = await create({ envs: { KEPT: 'yes' } });
      const command = await sandbox.commands.run('sleep 60', { background: true });
      await sandbox.files.write('kept.txt', 'content');
      assert.equal(await sandbox.pause(), true);
      assert.equal(await sandbox.isRunning(), false);
      assert.equal((await sandbox.getInfo()).state, 'paused');
      await sandbox.connect();
      assert.equal(await sandbox.isRunning(), true);
      assert.ok((await sandbox.commands.list()).some(({ pid }) => pid === command.pid));
      assert.equal((await sandbox.commands.connect(command.pid)).pid, command.pid);
      assert.equal(await sandbox.files.read('kept.txt'), 'content');
      assert.equal((await sandbox.commands.run('echo $KEPT')).stdout, 'yes\n');
      assert.equal(await sandbox.commands.kill(command.pid), true);
      await command.wait().catch((error: unknown) => assert.ok(error instanceof sdk.SandboxError));
    },
  },
  {
    name: 'pause: of a paused one is false, and it can be killed',
    async run({ sdk, create }) {
      const sandbox = await create();
      assert.equal(await sandbox.pause(), true);
      assert.equal(await sandbox.pause(), false);
      assert.equal(await sandbox.kill(), true);
      await assert.rejects(sandbox.connect(), sdk.SandboxNotFoundError);
    },
  },
  {
    name: 'pause without memory: files stay, and processes do not',
    async run({ create }) {
      const sandbox = await create();
      await sandbox.files.write('kept.txt', 'content');
      await sandbox.commands.run('sleep 60', { background: true });
      await sandbox.pause({ keepMemory: false });
      await sandbox.connect();
      assert.equal(await sandbox.files.read('kept.txt'), 'content');
      assert.deepEqual(await sandbox.commands.list(), []);
    },
  },
  {
    name: 'pause without memory: is another boot',
    needsRoot: true,
    async run({ create }) {
      const sandbox = await create();
      const bootId = async (): Promise<string> =>
        (await sandbox.commands.run('cat /proc/sys/kernel/random/boot_id')).stdout;
      const before = await bootId();
      await sandbox.pause({ keepMemory: false });
      await sandbox.connect();
      assert.notEqual(await bootId(), before);
    },
  },
  {
    name: 'root: the files, users and processes of the machine are not those of a sandbox',
    needsRoot: true,
    async run({ create }) {
      const [first, second] = [await create(), await create()];
      assert.equal((await first.commands.run('pwd; id -un; id -u')).stdout, '/home/user\nuser\n1000\n');
      assert.equal((await first.commands.run('id -u', { user: 'root' })).stdout, '0\n');
      await first.commands.run('echo mine > /root/file; echo mine > /etc/of-the-sandbox', { user: 'root' });
      await assert.rejects(first.commands.run('cat /root/file'));
      assert.equal(await second.files.exists('/etc/of-the-sandbox'), false);
      const info = await first.files.write('owned.txt', 'x');
      assert.equal(info.path, '/home/user/owned.txt');
      assert.equal((await first.commands.run('stat -c %U owned.txt')).stdout, 'user\n');
      const sleeper = await first.commands.run('exec sleep 202.5', { background: true });
      assert.equal((await second.commands.run('grep -l "20[2].5" /proc/[0-9]*/cmdline | wc -l')).stdout, '0\n');
      await sleeper.kill();
      await sleeper.wait().catch(() => undefined);
    },
  },
  {
    name: 'root: the files that tell of the sandbox',
    needsRoot: true,
    async run({ sandbox }) {
      const { stdout } = await sandbox.commands.run('cat /run/e2b/.E2B_SANDBOX; echo; cat /run/e2b/.E2B_SANDBOX_ID');
      assert.equal(stdout, `true\n${sandbox.sandboxId.split('-')[0]}`);
    },
  },
];
