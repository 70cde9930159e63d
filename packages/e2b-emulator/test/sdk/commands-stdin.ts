import assert from 'node:assert/strict';
import { eventually, type SdkCase } from './sdk-case.ts';

/** Input of commands. */
export const cases: readonly SdkCase[] = [
  {
    name: 'sendStdin: text, bytes, nothing, special characters and lines',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('cat', { background: true, stdin: true });
      await sandbox.commands.sendStdin(handle.pid, 'Hello, World!');
      await sandbox.commands.sendStdin(handle.pid, '');
      await sandbox.commands.sendStdin(handle.pid, '!@#$%^&*()_+\nline');
      await sandbox.commands.sendStdin(handle.pid, new TextEncoder().encode(' ü'));
      await eventually(() => assert.equal(handle.stdout, 'Hello, World!!@#$%^&*()_+\nline ü'));
      await handle.kill();
    },
  },
  {
    name: 'sendStdin: by the handle, to its end',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('wc -c', { background: true, stdin: true });
      await handle.sendStdin('12345');
      await handle.sendStdin('67890');
      await handle.closeStdin();
      assert.equal((await handle.wait()).stdout.trim(), '10');
    },
  },
  {
    name: 'sendStdin: is an error where stdin is off or closed, or nobody is there',
    async run({ sdk, sandbox }) {
      const handle = await sandbox.commands.run('exec sleep 106.5', { background: true });
      await assert.rejects(sandbox.commands.sendStdin(handle.pid, 'x'), sdk.SandboxError);
      await sandbox.commands.closeStdin(handle.pid);
      await handle.kill();
      await assert.rejects(sandbox.commands.sendStdin(999_999, 'x'), sdk.NotFoundError);
    },
  },
  {
    name: 'sendStdin: more than a pipe holds',
    async run({ sandbox }) {
      const handle = await sandbox.commands.run('sleep 0.3; wc -c', { background: true, stdin: true });
      await sandbox.commands.sendStdin(handle.pid, 'x'.repeat(1_000_000));
      await sandbox.commands.closeStdin(handle.pid);
      assert.equal((await handle.wait()).stdout.trim(), '1000000');
    },
  },
];
