import assert from 'node:assert/strict';
import type { FilesystemEvent, Sandbox } from 'e2b';
import { ownDirectory } from './files-support.ts';
import { eventually, type SdkCase } from './sdk-case.ts';

function told(events: readonly FilesystemEvent[]): string[] {
  return events.map(({ type, name }) => `${type} ${name}`);
}

/** How a watch ends. */
function exitOf(sandbox: Sandbox, options: { timeoutMs: number; stopsAtOnce: boolean }): Promise<Error | undefined> {
  const { timeoutMs, stopsAtOnce } = options;
  return new Promise((resolve, reject) => {
    const watching = sandbox.files.watchDir('.', () => undefined, { timeoutMs, onExit: resolve });
    watching.then((handle) => (stopsAtOnce ? handle.stop() : undefined)).catch(reject);
  });
}

/** What the SDK does with `files.watchDir`. */
export const cases: readonly SdkCase[] = [
  {
    name: 'watchDir: tells of uploads, moves and removals in their order',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const events: FilesystemEvent[] = [];
      const handle = await sandbox.files.watchDir(directory, (event) => void events.push(event));
      await sandbox.files.write(`${directory}/f`, 'x');
      await sandbox.files.rename(`${directory}/f`, `${directory}/g`);
      await sandbox.files.remove(`${directory}/g`);
      const wanted = ['create f', 'chmod f', 'write f', 'rename f', 'create g', 'remove g'];
      await eventually(() => assert.deepEqual(told(events), wanted));
      await handle.stop();
    },
  },
  {
    name: 'watchDir: tells of what commands do',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const events: FilesystemEvent[] = [];
      const handle = await sandbox.files.watchDir(directory, (event) => void events.push(event));
      await sandbox.commands.run('echo x > f; chmod 600 f; mkdir d; echo y > d/below; mv f ..', {
        cwd: directory,
      });
      await eventually(() => {
        assert.deepEqual(told(events), ['create f', 'write f', 'chmod f', 'create d', 'rename f']);
      });
      await handle.stop();
    },
  },
  {
    name: 'watchDir: recursive: watches below, also what is made later',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      await sandbox.files.write(`${directory}/there/f`, '1');
      const events: FilesystemEvent[] = [];
      const handle = await sandbox.files.watchDir(directory, (event) => void events.push(event), { recursive: true });
      await sandbox.files.write(`${directory}/there/f`, '2');
      await eventually(() => assert.ok(told(events).includes('write there/f')));
      await sandbox.files.makeDir(`${directory}/new`);
      await eventually(() => assert.ok(told(events).includes('create new')));
      await sandbox.files.write(`${directory}/new/f`, 'x');
      await eventually(() => assert.ok(told(events).includes('write new/f')));
      await handle.stop();
    },
  },
  {
    name: 'watchDir: includeEntry: tells of the entry while it is there',
    async run({ sandbox }) {
      const directory = await ownDirectory(sandbox);
      const events: FilesystemEvent[] = [];
      const handle = await sandbox.files.watchDir(directory, (event) => void events.push(event), {
        includeEntry: true,
      });
      await sandbox.files.makeDir(`${directory}/d`);
      await eventually(() => assert.ok(told(events).includes('create d')));
      await sandbox.files.remove(`${directory}/d`);
      await eventually(() => assert.ok(told(events).includes('remove d')));
      const [created, removed] = [events[0], events.at(-1)];
      assert.deepEqual(
        [created?.entry?.name, created?.entry?.type, created?.entry?.path],
        ['d', 'dir', `${directory}/d`],
      );
      assert.equal(removed?.entry, undefined);
      await handle.stop();
    },
  },
  {
    name: 'watchDir: ends with its timeout, and when it is stopped',
    async run({ sdk, sandbox }) {
      assert.ok((await exitOf(sandbox, { timeoutMs: 1000, stopsAtOnce: false })) instanceof sdk.TimeoutError);
      // Versions of the SDK differ in whether a stop is an error.
      const stopped = await exitOf(sandbox, { timeoutMs: 0, stopsAtOnce: true });
      assert.ok(stopped === undefined || stopped instanceof sdk.TimeoutError);
    },
  },
  {
    name: 'watchDir: fails by class',
    async run({ sdk, sandbox: { files } }) {
      await assert.rejects(
        files.watchDir('none', () => undefined),
        sdk.FileNotFoundError,
      );
      await assert.rejects(
        files.watchDir('/etc/passwd', () => undefined),
        sdk.InvalidArgumentError,
      );
    },
  },
];
