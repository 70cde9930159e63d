import assert from 'node:assert/strict';
import { eventually, type SdkCase } from './sdk-case.ts';

/** Commands that go on beside their caller: to be listed, ended, and found again. */
export const cases: readonly SdkCase[] = [
  {
    name: 'background: is there at once, and can be waited for',
    async run({ sandbox }) {
      const startedMs = Date.now();
      const handle = await sandbox.commands.run('sleep 1; echo done', { background: true });
      assert.ok(Date.now() - startedMs < 1_000);
      assert.ok(handle.pid > 0);
      assert.equal(handle.exitCode, undefined);
      const result = await handle.wait();
      assert.deepEqual([result.exitCode, result.stdout, handle.exitCode, handle.stdout], [0, 'done\n', 0, 'done\n']);
      assert.equal(handle.error, undefined);
    },
  },
  {
    name: 'background: wait throws where the code is not zero',
    async run({ sdk, sandbox }) {
      const handle = await sandbox.commands.run('exit 4', { background: true });
      await assert.rejects(handle.wait(), (error) => error instanceof sdk.CommandExitError && error.exitCode === 4);
      assert.deepEqual([handle.exitCode, handle.error], [4, 'exit status 4']);
    },
  },
  {
    name: 'kill: by its handle, which then says so',
    async run({ sdk, sandbox }) {
      const handle = await sandbox.commands.run('exec sleep 103.5', { background: true });
      assert.equal(await handle.kill(), true);
      await assert.rejects(handle.wait(), (error) => {
        assert.ok(error instanceof sdk.CommandExitError);
        assert.deepEqual([error.exitCode, error.error], [-1, 'signal: killed']);
        return true;
      });
      await eventually(async () => {
        await assert.rejects(sandbox.commands.run(`kill -0 ${handle.pid}`), sdk.CommandExitError);
      });
    },
  },
  {
    name: 'kill: by pid, once',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('exec sleep 104.5', { background: true });
      assert.equal(await sandbox.commands.kill(handle.pid), true);
      await handle.wait().catch(() => undefined);
      assert.equal(await sandbox.commands.kill(handle.pid), false);
      assert.equal(await sandbox.commands.kill(999_999), false);
    },
  },
  {
    name: 'list: what runs, as it was started',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('exec sleep 105.5', {
        background: true,
        cwd: '/tmp',
        envs: { LISTED: 'yes' },
      });
      const found = (await sandbox.commands.list()).find(({ pid }) => pid === handle.pid);
      assert.deepEqual([found?.cmd, found?.args], ['/bin/bash', ['-l', '-c', 'exec sleep 105.5']]);
      assert.deepEqual([found?.cwd, found?.envs], ['/tmp', { LISTED: 'yes' }]);
      await handle.kill();
      await handle.wait().catch(() => undefined);
      assert.ok(!(await sandbox.commands.list()).some(({ pid }) => pid === handle.pid));
    },
  },
  {
    name: 'connect: to a running one, with output from then on and the end',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('echo first; read -r line; echo "got $line"; exit 0', {
        background: true,
        stdin: true,
      });
      await eventually(() => assert.equal(handle.stdout, 'first\n'));
      await handle.disconnect();
      const parts: string[] = [];
      const again = await sandbox.commands.connect(handle.pid, { onStdout: (part) => void parts.push(part) });
      assert.equal(again.pid, handle.pid);
      await sandbox.commands.sendStdin(handle.pid, 'a line\n');
      const result = await again.wait();
      assert.deepEqual([result.exitCode, result.stdout, parts.join('')], [0, 'got a line\n', 'got a line\n']);
    },
  },
  {
    name: 'connect: to one that has just ended tells its code',
    async run({ sdk, sandbox }) {
      const handle = await sandbox.commands.run('exit 6', { background: true });
      await handle.wait().catch(() => undefined);
      const again = await sandbox.commands.connect(handle.pid);
      await assert.rejects(again.wait(), (error) => error instanceof sdk.CommandExitError && error.exitCode === 6);
    },
  },
  {
    name: 'connect: to none is NotFoundError',
    async run({ sdk, sandbox }) {
      await assert.rejects(sandbox.commands.connect(999_999), sdk.NotFoundError);
    },
  },
  {
    name: 'disconnect: the command goes on',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('sleep 0.5; echo still >went-on', { background: true });
      await handle.disconnect();
      await eventually(async () => assert.equal(await sandbox.files.read('went-on'), 'still\n'));
    },
  },
];
