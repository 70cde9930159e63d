import { ExecFailedError, type OutputChunk } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import {
  type BackendContractOptions,
  isRunning,
  openContractBackend,
  pidAt,
  runShell,
  textOf,
} from './contract-backend.ts';
import { execEndContract } from './exec-end.ts';
import { spawnContract } from './spawn.ts';

/** What a command's environment may hold beside what it was asked to. */
const BASE_NAMES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM)$/;

/** `Backend.exec` and `Backend.spawn`. */
export function execContract(options: BackendContractOptions): void {
  describe('exec', () => {
    it('exec:output: keeps stdout and stderr apart, byte for byte [D01]', async () => {
      await using contract = await openContractBackend(options);
      const result = await runShell(contract.backend, 'echo hi; printf "\\001\\377" >&2');
      expect(result.end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(Buffer.from(result.stdout.head)).toStrictEqual(Buffer.from('hi\n'));
      expect(Buffer.from(result.stderr.head)).toStrictEqual(Buffer.from([1, 255]));
      expect(result.durationMs).toBeGreaterThan(0);
    });

    it('exec:no-shell: hands every argument over as it is', async () => {
      await using contract = await openContractBackend(options);
      const words = ['$HOME', 'a  b', "it's", '*', '', ';', 'ü\n"'];
      const { stdout } = await contract.backend.exec(['printf', '%s|', ...words]);
      expect(textOf(stdout)).toBe(words.map((word) => `${word}|`).join(''));
    });

    it.each([
      ['false', 1],
      ['exit 3', 3],
      ['exit 255', 255],
      ['no-such-command-here', 127],
    ])('exec:exit-code: tells the exit status of `%s` [T60]', async (script, exitCode) => {
      await using contract = await openContractBackend(options);
      expect((await runShell(contract.backend, script)).end).toStrictEqual({ kind: 'exited', exitCode });
    });

    it('exec:stdin-closed: gives an end of file where no stdin is given [E20]', async () => {
      await using contract = await openContractBackend(options);
      const { end, stdout } = await contract.backend.exec(['cat'], { timeoutMs: 10_000 });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(stdout.totalBytes).toBe(0);
    });

    it('exec:stdin-given: passes stdin on, then closes it [D04]', async () => {
      await using contract = await openContractBackend(options);
      const stdin = Buffer.alloc(3_000_000, 'äb\0\n');
      const { end, stdout } = await contract.backend.exec(['cat'], { stdin, maxOutputBytes: 4_000_000 });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(Buffer.compare(Buffer.from(stdout.head), stdin)).toBe(0);
      expect(textOf((await contract.backend.exec(['cat'], { stdin: 'täxt' })).stdout)).toBe('täxt');
    });

    it('exec:stdin-unread: a command need not read its stdin', async () => {
      await using contract = await openContractBackend(options);
      const { end } = await contract.backend.exec(['true'], { stdin: Buffer.alloc(1_000_000) });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });

    it.each([
      { script: 'echo x >/dev/stderr; echo y >/dev/stdout', out: 'y\n', err: 'x\n' },
      { script: 'echo x | tee /dev/stderr', out: 'x\n', err: 'x\n' },
      { script: 'cat /dev/stdin', out: '', err: '' },
      // Also when all of it has been written already, and read in part.
      { script: 'sleep 0.2; read -r line; cat /dev/stdin >&2; cat /dev/stdin', stdin: 'a\nb', out: '', err: 'b' },
    ])('exec:device-files: lets a command open its streams by name: `$script`', async ({ script, stdin, out, err }) => {
      await using contract = await openContractBackend(options);
      const { end, stdout, stderr } = await runShell(contract.backend, script, { stdin, timeoutMs: 10_000 });
      expect([textOf(stdout), textOf(stderr)]).toStrictEqual([out, err]);
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });

    it('exec:cwd: runs in the workdir, or where it is told to, relative to that', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await backend.makeDirectory('sub/deeper');
      const workdir = await backend.realPath(backend.workdir);
      expect(textOf((await backend.exec(['pwd', '-P'])).stdout)).toBe(`${workdir}\n`);
      expect(textOf((await backend.exec(['pwd', '-P'], { cwd: 'sub/deeper' })).stdout)).toBe(`${workdir}/sub/deeper\n`);
      const absolute = `${backend.workdir}/sub`;
      expect(textOf((await backend.exec(['pwd', '-P'], { cwd: absolute })).stdout)).toBe(`${workdir}/sub\n`);
    });

    it('exec:environment: adds what is asked for to the base environment, and nothing else', async () => {
      await using contract = await openContractBackend(options);
      const { stdout } = await contract.backend.exec(['env'], { env: { ASKED_FOR: 'a b', LANG: 'C' } });
      const lines = textOf(stdout).trimEnd().split('\n');
      expect(lines).toEqual(expect.arrayContaining(['ASKED_FOR=a b', 'LANG=C']));
      const names = lines.map((line) => line.slice(0, line.indexOf('=')));
      expect(names.filter((name) => name !== 'ASKED_FOR' && !BASE_NAMES.test(name))).toStrictEqual([]);
      expect(names).toContain('PATH');
    });

    it.each([
      ['a child', '[T51]', 'sleep 60 & echo done'],
      ['a child that reads and writes', '[T52]', '{ sleep 60; cat; } & echo done'],
      ['a daemon without its pipes', '[D09]', 'nohup sleep 60 >/dev/null 2>&1 & echo done'],
    ])('exec:held-pipe: settles when the command exits, whatever %s does %s', async (_who, _case, script) => {
      await using contract = await openContractBackend(options);
      const startedAt = performance.now();
      const { end, stdout } = await runShell(contract.backend, script);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(textOf(stdout)).toBe('done\n');
    });

    it('exec:drain: has all that the command wrote, also where a child holds the pipe', async () => {
      await using contract = await openContractBackend(options);
      const script = 'sleep 60 & head -c 900000 /dev/zero; echo END';
      const { stdout } = await runShell(contract.backend, script);
      expect(stdout.totalBytes).toBe(900_004);
      expect(textOf(stdout).endsWith('\0END\n')).toBe(true);
    });

    it('exec:children-live-on: leaves the children of a normal exit alone, and their pipes open [T59]', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const script = '(sleep 0.4; echo late; echo later >&2; echo x >F) & echo up';
      expect(textOf((await runShell(backend, script)).stdout)).toBe('up\n');
      expect(await backend.stat('F')).toBeUndefined();
      await expect.poll(() => backend.stat('F'), { timeout: 20_000 }).toMatchObject({ sizeBytes: 2 });
    });

    it('exec:end-processes: endProcesses ends what was left behind, and the backend goes on', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      await runShell(backend, 'sleep 60 & echo $! >pid');
      const pid = await pidAt(backend, 'pid');
      expect(await isRunning(backend, pid)).toBe(true);
      await backend.endProcesses();
      expect(await isRunning(backend, pid)).toBe(false);
    });

    it('exec:end-processes-running: endProcesses ends a running command, which is told as aborted', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const running = runShell(backend, 'echo part; echo $$ >pid; sleep 60');
      await expect.poll(() => backend.stat('pid'), { timeout: 20_000 }).toMatchObject({ kind: 'file' });
      await backend.endProcesses();
      const result = await running;
      expect(result.end).toStrictEqual({ kind: 'aborted' });
      expect(textOf(result.stdout)).toBe('part\n');
    });

    it('exec:no-pids: says nothing of children of its own accord [T58]', async () => {
      await using contract = await openContractBackend(options);
      const { end, stdout, stderr } = await runShell(contract.backend, 'sleep 1 & sleep 1 &');
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect([stdout.totalBytes, stderr.totalBytes]).toStrictEqual([0, 0]);
    });

    it('exec:cap: keeps half of the cap from the head and half from the tail, and counts the rest', async () => {
      await using contract = await openContractBackend(options);
      const script = 'printf abcdefghijklmnop; printf 0123456789 >&2';
      const { stdout, stderr } = await runShell(contract.backend, script, { maxOutputBytes: 10 });
      expect(stdout).toMatchObject({ droppedBytes: 6, totalBytes: 16 });
      expect(Buffer.from(stdout.head).toString()).toBe('abcde');
      expect(Buffer.from(stdout.tail).toString()).toBe('lmnop');
      expect(stderr).toMatchObject({ droppedBytes: 0, totalBytes: 10 });
      expect(Buffer.from(stderr.head).toString()).toBe('0123456789');
      expect(stderr.tail).toHaveLength(0);
    });

    it('exec:cap-default: keeps 1 MiB, the end of the output included [T49]', async () => {
      await using contract = await openContractBackend(options);
      const { stdout } = await runShell(contract.backend, 'seq 1 200000; echo END');
      expect(stdout.totalBytes).toBe(1_288_899);
      expect(stdout.head.length + stdout.tail.length).toBe(1_048_576);
      expect(stdout.droppedBytes).toBe(1_288_899 - 1_048_576);
      expect(Buffer.from(stdout.head).toString().startsWith('1\n2\n')).toBe(true);
      expect(Buffer.from(stdout.tail).toString().endsWith('\n200000\nEND\n')).toBe(true);
    });

    it('exec:on-output: tells all output as it comes, beyond the cap too', async () => {
      await using contract = await openContractBackend(options);
      const chunks: OutputChunk[] = [];
      const { stdout } = await runShell(contract.backend, 'head -c 300000 /dev/zero; printf x; printf y >&2', {
        maxOutputBytes: 4,
        onOutput: (chunk) => void chunks.push({ stream: chunk.stream, bytes: Uint8Array.from(chunk.bytes) }),
      });
      const told = (stream: 'stdout' | 'stderr'): Buffer =>
        Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes));
      expect(told('stdout')).toHaveLength(300_001);
      expect(told('stdout').at(-1)).toBe('x'.charCodeAt(0));
      expect(told('stderr').toString()).toBe('y');
      expect(stdout.droppedBytes).toBe(299_997);
    });

    it('exec:on-output-early: tells output before the command has ended', async () => {
      await using contract = await openContractBackend(options);
      const { backend } = contract;
      const first = Promise.withResolvers<string>();
      const running = runShell(backend, 'echo first; until [ -e go ]; do sleep 0.02; done', {
        timeoutMs: 15_000,
        onOutput: ({ bytes }) => first.resolve(Buffer.from(bytes).toString()),
      });
      expect(await first.promise).toBe('first\n');
      await backend.writeFile('go', '');
      expect((await running).end).toStrictEqual({ kind: 'exited', exitCode: 0 });
    });

    it('exec:on-output-throws: survives a listener that throws', async () => {
      await using contract = await openContractBackend(options);
      const { end, stdout } = await runShell(contract.backend, 'echo one; echo two', {
        onOutput: () => {
          throw new Error('a listener of the test');
        },
      });
      expect(end).toStrictEqual({ kind: 'exited', exitCode: 0 });
      expect(textOf(stdout)).toBe('one\ntwo\n');
    });

    it('exec:concurrent: runs many at once, and mixes nothing up', async () => {
      await using contract = await openContractBackend(options);
      const numbers = Array.from({ length: 24 }, (_, number) => number);
      const results = await Promise.all(
        numbers.map((number) => runShell(contract.backend, `echo ${number}; exit ${number}`)),
      );
      expect(results.map(({ stdout }) => textOf(stdout))).toStrictEqual(numbers.map((number) => `${number}\n`));
      expect(results.map(({ end }) => end)).toStrictEqual(numbers.map((exitCode) => ({ kind: 'exited', exitCode })));
    });
  });

  describe('exec that cannot start', () => {
    async function failureOf(argv: readonly string[], cwd?: string, before?: string): Promise<ExecFailedError> {
      await using contract = await openContractBackend(options);
      if (before !== undefined) await runShell(contract.backend, before);
      const error: unknown = await contract.backend.exec(argv, { cwd }).catch((reason: unknown) => reason);
      if (!ExecFailedError.isInstance(error)) throw new Error('It did not fail with exec-failed.', { cause: error });
      return error;
    }

    it('exec:command-not-found: names a command that is not on the PATH', async () => {
      const { details, message } = await failureOf(['no-such-command-here']);
      expect(details).toMatchObject({ reason: 'command-not-found', command: 'no-such-command-here' });
      expect(message).toContain('no-such-command-here');
    });

    it.each(['nope', 'a-file'])('exec:cwd-not-found: names the missing working directory %s [T46]', async (cwd) => {
      const { details, message } = await failureOf(['ls'], cwd, 'echo x >a-file');
      expect(details.reason).toBe('cwd-not-found');
      expect(details.cwd.endsWith(`/${cwd}`)).toBe(true);
      expect(message).toContain(cwd);
    });

    it('exec:not-executable: tells a file that may not be executed from a missing one', async () => {
      const { details } = await failureOf(['./a-file'], undefined, 'echo x >a-file; chmod 644 a-file');
      expect(details.reason).toBe('not-executable');
    });

    it.each([[[]], [['']], [['echo', 'a\0b']]])('exec:argv-invalid: refuses %j', async (argv) => {
      expect((await failureOf(argv)).details.reason).toBe('failed');
    });

    it('exec:argv-too-long: says how to pass long content instead', async () => {
      const { details, message } = await failureOf(['echo', 'x'.repeat(5_000_000)]);
      expect(details.reason).toBe('failed');
      expect(message).toMatch(/stdin or in a file/);
    });
  });

  execEndContract(options);
  spawnContract(options);
}
