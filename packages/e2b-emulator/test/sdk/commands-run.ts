import assert from 'node:assert/strict';
import { eventually, type SdkCase } from './sdk-case.ts';

/** Commands that are waited for. */
export const cases: readonly SdkCase[] = [
  {
    name: 'run: gives output, errors and the exit code',
    async run({ sandbox }) {
      const result = await sandbox.commands.run('echo "Hello, World!"; echo oops >&2');
      assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['Hello, World!\n', 'oops\n', 0]);
      assert.equal(result.error, undefined);
    },
  },
  {
    name: 'run: keeps special characters and lines as they are',
    async run({ sandbox }) {
      for (const text of ['!@#$%^&*()_+', 'Hello,\nWorld!', '日本語 🚀 naïve', '  spaces  ']) {
        assert.equal((await sandbox.commands.run(`printf '%s' "${text}"`)).stdout, text);
      }
    },
  },
  {
    name: 'run: throws CommandExitError with the code, the output and what was said',
    async run({ sdk, sandbox }) {
      await assert.rejects(sandbox.commands.run('echo out; echo err >&2; exit 3'), (error) => {
        assert.ok(error instanceof sdk.CommandExitError);
        assert.ok(error instanceof sdk.SandboxError);
        assert.deepEqual([error.exitCode, error.stdout, error.stderr], [3, 'out\n', 'err\n']);
        assert.equal(error.error, 'exit status 3');
        return true;
      });
    },
  },
  {
    name: 'run: a command that is not there is 127',
    async run({ sdk, sandbox }) {
      await assert.rejects(
        sandbox.commands.run('no-such-command-here'),
        (error) => error instanceof sdk.CommandExitError && error.exitCode === 127,
      );
    },
  },
  {
    name: 'run: calls back with each part of the output, in order',
    async run({ sandbox }) {
      const parts: string[] = [];
      const result = await sandbox.commands.run('for i in 1 2 3; do echo $i; sleep 0.1; done; echo e >&2', {
        onStdout: (part) => void parts.push(`out:${part}`),
        onStderr: (part) => void parts.push(`err:${part}`),
      });
      assert.equal(parts.join(''), 'out:1\nout:2\nout:3\nerr:e\n');
      assert.equal(result.stdout, '1\n2\n3\n');
    },
  },
  {
    name: 'run: a large output arrives whole',
    async run({ sandbox }) {
      const { stdout } = await sandbox.commands.run('seq 200000');
      assert.equal(stdout.length, 1_288_895);
      assert.ok(stdout.endsWith('\n199999\n200000\n'));
    },
  },
  {
    name: 'run: characters cut by the size of a part arrive whole',
    async run({ sandbox }) {
      const { stdout } = await sandbox.commands.run("for i in $(seq 20000); do printf '🚀x'; done");
      assert.equal(stdout, '🚀x'.repeat(20_000));
    },
  },
  {
    name: 'run: is over at its time limit with TimeoutError, and so is the process',
    async run({ sdk, sandbox }) {
      await assert.rejects(sandbox.commands.run('exec sleep 101.5', { timeoutMs: 500 }), sdk.TimeoutError);
      await eventually(async () => {
        const { stdout } = await sandbox.commands.run('pgrep -f "^sleep 101.5" || echo none');
        assert.equal(stdout, 'none\n');
      });
    },
  },
  {
    name: 'run: within its time limit, or without one',
    async run({ sandbox }) {
      assert.equal((await sandbox.commands.run('echo 1', { timeoutMs: 5_000 })).stdout, '1\n');
      assert.equal((await sandbox.commands.run('sleep 0.3; echo 2', { timeoutMs: 0 })).stdout, '2\n');
    },
  },
  {
    name: 'run: stdin is empty unless it is asked for',
    async run({ sandbox }) {
      assert.equal((await sandbox.commands.run('cat; echo end')).stdout, 'end\n');
    },
  },
  {
    name: 'run: in a directory, absolute, relative or of the home',
    async run({ sandbox }) {
      const { stdout: home } = await sandbox.commands.run('pwd');
      assert.equal((await sandbox.commands.run('pwd', { cwd: '/tmp' })).stdout, '/tmp\n');
      await sandbox.commands.run('mkdir -p place/inner');
      const inner = `${home.trim()}/place/inner\n`;
      assert.equal((await sandbox.commands.run('pwd', { cwd: 'place/inner' })).stdout, inner);
      assert.equal((await sandbox.commands.run('pwd', { cwd: '~/place/inner' })).stdout, inner);
      assert.equal((await sandbox.commands.run('echo $HOME')).stdout, home);
    },
  },
  {
    name: 'run: a directory that is not there is InvalidArgumentError',
    async run({ sdk, sandbox }) {
      await assert.rejects(sandbox.commands.run('pwd', { cwd: '/no/such/place' }), (error) => {
        assert.ok(error instanceof sdk.InvalidArgumentError);
        assert.match(error.message, /cwd '\/no\/such\/place' does not exist/);
        return true;
      });
    },
  },
  {
    name: 'run: variables of the command, and of no other',
    async run({ sandbox }) {
      assert.equal((await sandbox.commands.run('echo "$FOO"', { envs: { FOO: 'b a=r' } })).stdout, 'b a=r\n');
      assert.equal((await sandbox.commands.run('echo "$FOO"')).stdout, '\n');
    },
  },
  {
    name: 'run: variables of the sandbox, and those of the command before them',
    async run({ create }) {
      const sandbox = await create({ envs: { FOO: 'of the sandbox', BAR: '2' } });
      assert.equal((await sandbox.commands.run('echo "$FOO $BAR"')).stdout, 'of the sandbox 2\n');
      const own = await sandbox.commands.run('echo "$FOO $BAR"', { envs: { FOO: 'of the command' } });
      assert.equal(own.stdout, 'of the command 2\n');
    },
  },
  {
    name: 'run: the variables that tell of the sandbox',
    async run({ sandbox }) {
      const { stdout } = await sandbox.commands.run('echo $E2B_SANDBOX $E2B_SANDBOX_ID');
      assert.equal(stdout, `true ${sandbox.sandboxId.split('-')[0]}\n`);
    },
  },
  {
    name: 'run: as the default user, or as root',
    async run({ sandbox }) {
      assert.equal((await sandbox.commands.run('echo $USER')).stdout, 'user\n');
      assert.equal((await sandbox.commands.run('echo $USER', { user: 'root' })).stdout, 'root\n');
      assert.equal((await sandbox.commands.run('echo $USER $LOGNAME', { user: 'user' })).stdout, 'user user\n');
    },
  },
  {
    name: 'run: an unknown user is AuthenticationError',
    async run({ sdk, sandbox }) {
      await assert.rejects(sandbox.commands.run('true', { user: 'nobody-here' }), sdk.AuthenticationError);
    },
  },
  {
    name: 'run: many at once',
    async run({ sandbox }) {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => sandbox.commands.run(`sleep 0.2; echo ${index}`)),
      );
      assert.deepEqual(
        results.map(({ stdout }) => stdout),
        Array.from({ length: 20 }, (_, index) => `${index}\n`),
      );
    },
  },
  {
    name: 'run: an abort ends the wait with TimeoutError',
    async run({ sdk, sandbox }) {
      const controller = new AbortController();
      const running = sandbox.commands.run('echo ready; exec sleep 102.5', {
        signal: controller.signal,
        onStdout: () => controller.abort(),
      });
      await assert.rejects(running, sdk.SandboxError);
      await sandbox.commands.run('pkill -f "^sleep 102.5"; true');
    },
  },
];
