import assert from 'node:assert/strict';
import { eventually, type SdkCase } from './sdk-case.ts';

const decoder = new TextDecoder();

/** Terminals. */
export const cases: readonly SdkCase[] = [
  {
    name: 'pty: shows what is typed, and has the variables that were asked for',
    async run({ sandbox }) {
      let output = '';
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        onData: (data) => void (output += decoder.decode(data)),
        envs: { ABC: '123' },
      });
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('echo $ABC $TERM $LANG\nexit\n'));
      await terminal.wait();
      assert.equal(terminal.exitCode, 0);
      assert.match(output, /123 xterm-256color C\.UTF-8/);
    },
  },
  {
    name: 'pty: its size, and another one',
    async run({ sandbox }) {
      let output = '';
      const options = { cols: 80, rows: 24, onData: (data: Uint8Array) => void (output += decoder.decode(data)) };
      const terminal = await sandbox.pty.create(options);
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('tput cols\nexit\n'));
      await terminal.wait();
      assert.match(output, /^80\r$/m);
      output = '';
      const resized = await sandbox.pty.create(options);
      await sandbox.pty.resize(resized.pid, { cols: 100, rows: 24 });
      await sandbox.pty.sendInput(resized.pid, new TextEncoder().encode('tput cols\nexit\n'));
      await resized.wait();
      assert.match(output, /^100\r$/m);
    },
  },
  {
    name: 'pty: disconnect and connect again',
    async run({ sandbox }) {
      let [before, after] = ['', ''];
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        onData: (data) => void (before += decoder.decode(data)),
        envs: { FOO: 'bar' },
      });
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('echo $FOO\n'));
      await eventually(() => assert.match(before, /^bar\r$/m));
      await terminal.disconnect();
      const again = await sandbox.pty.connect(terminal.pid, { onData: (data) => void (after += decoder.decode(data)) });
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('echo $FOO\nexit\n'));
      await again.wait();
      assert.equal(again.exitCode, 0);
      assert.match(after, /^bar\r$/m);
    },
  },
  {
    name: 'pty: its exit code, and interrupts by what is typed',
    async run({ sdk, sandbox }) {
      let output = '';
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        onData: (data) => void (output += decoder.decode(data)),
      });
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode("sh -c 'echo $((40+2)); exec cat'\n"));
      await eventually(() => assert.match(output, /^42\r$/m));
      await sandbox.pty.sendInput(terminal.pid, new Uint8Array([3]));
      // What is typed before the shell asks for it may be read by the one that is just being interrupted.
      await eventually(() => assert.match(output, /\^C[^]*[$#] $/));
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('exit 5\n'));
      await assert.rejects(terminal.wait(), (error) => error instanceof sdk.CommandExitError && error.exitCode === 5);
    },
  },
  {
    name: 'pty: in a directory and as a user',
    async run({ sandbox }) {
      let output = '';
      const terminal = await sandbox.pty.create({
        cols: 80,
        rows: 24,
        cwd: '/tmp',
        user: 'root',
        onData: (data) => void (output += decoder.decode(data)),
      });
      await sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode('echo "at $(pwd) as $USER"\nexit\n'));
      await terminal.wait();
      assert.match(output, /^at \/tmp as root\r$/m);
    },
  },
  {
    name: 'pty: kill, once',
    async run({ sdk, sandbox }) {
      const terminal = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => undefined });
      assert.equal(await sandbox.pty.kill(terminal.pid), true);
      await assert.rejects(
        terminal.wait(),
        (error) => error instanceof sdk.CommandExitError && error.error === 'signal: killed',
      );
      assert.equal(await sandbox.pty.kill(terminal.pid), false);
      await assert.rejects(sandbox.commands.run(`kill -0 ${terminal.pid}`), sdk.CommandExitError);
    },
  },
  {
    name: 'pty: a time limit ends it',
    async run({ sdk, sandbox }) {
      const terminal = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => undefined, timeoutMs: 500 });
      await assert.rejects(terminal.wait(), sdk.TimeoutError);
    },
  },
];
