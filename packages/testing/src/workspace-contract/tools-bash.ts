import { posix } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  at,
  bytesOf,
  call,
  fail,
  sh,
  succeed,
  textOf,
  type ToolsContractOptions,
  type ToolsSubject,
} from './tools-subject.ts';

/** Well below how long the commands sleep that are not waited for, on a busy machine, too. */
const PROMPT_MS = 20_000;

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

let sleeps = 0;

/** A command line that no other process of this machine has, and that lasts longer than the test. */
function longSleep(): string {
  sleeps += 1;
  return `sleep 600.${process.pid}${String(sleeps).padStart(3, '0')}1`;
}

/** How many processes have this in their command line. */
async function countProcesses(subject: ToolsSubject, marker: string): Promise<number> {
  const script = `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < "$f" 2>/dev/null; echo; done; ps -A -o args= 2>/dev/null || true`;
  const lines = (await sh(subject, script)).split('\n');
  return lines.filter((line) => line.trim() === marker).length;
}

/** Commands: how they end, what they put out, how long they may take, and what they leave behind. */
export function toolsBashContract(options: ToolsContractOptions): void {
  describe('tools: Bash', () => {
    it('tools:bash-output: gives stdout as it is, in the directory of the workspace [D01]', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: 'echo hi' })).toBe('hi\n');
      const cwd = await succeed(subject, 'Bash', { command: 'pwd -P' });
      expect(cwd.trim()).toBe(await subject.backend.realPath('.'));
    });

    it('tools:bash-streams: shows stdout, then stderr behind a mark', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: 'echo oops >&2; printf out' })).toBe('out\n[stderr]\noops\n');
    });

    it('tools:bash-silent: says so when there is no output', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: 'true' })).toBe('(no output)');
      expect(await fail(subject, 'Bash', { command: 'false' })).toBe('Exit code 1\n(no output)');
    });

    it.each([
      ['false', 1],
      ['exit 3', 3],
      ['nosuchcmd', 127],
    ])('tools:bash-failure: marks `%s` as failed with exit code %i [T60]', async (command, exitCode) => {
      await using subject = await options.open();
      const result = await call(subject, { tool: 'Bash', input: { command } });
      expect(result.state).toBe('error');
      expect(textOf(result).split('\n')[0]).toBe(`Exit code ${exitCode}`);
      expect(result.metadata).toMatchObject({ exit_code: exitCode, signal: null, timed_out: false });
    });

    it('tools:bash-signal: tells a killed command from a failed one', async () => {
      await using subject = await options.open();
      const result = await call(subject, { tool: 'Bash', input: { command: 'echo before; kill -KILL $$' } });
      expect(result.state).toBe('error');
      expect(textOf(result)).toBe('Killed by SIGKILL\nbefore\n');
      expect(result.metadata).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
    });

    it('tools:bash-missing-directory: names a directory that is not there, not the shell [T46]', async () => {
      await using subject = await options.open();
      const text = await fail(subject, 'Bash', { command: 'cd nope/ && ls' });
      expect(text).toContain('nope/');
      expect(text).not.toContain('ENOENT');
    });

    it('tools:bash-stdin: closes stdin [E20]', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: 'cat; echo end', timeout: 20_000 })).toBe('end\n');
    });

    it('tools:bash-timeout: ends the whole pipe at the time-out, with what came until then [T53] [A12]', async () => {
      await using subject = await options.open();
      const sleep = longSleep();
      const command = `echo part; ${sleep} | cat`;
      const startedAt = performance.now();
      const result = await call(subject, { tool: 'Bash', input: { command, timeout: 1_000 } });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(result.state).toBe('error');
      expect(textOf(result)).toBe('Timed out after 1000 ms\npart\n');
      expect(result.metadata).toMatchObject({ timed_out: true, exit_code: null });
      await expect.poll(() => countProcesses(subject, sleep), { timeout: 20_000 }).toBe(0);
    });

    it('tools:bash-timeout-unit: takes the timeout in milliseconds and says so [T56]', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: 'sleep 1; echo ok', timeout: 20_000 })).toBe('ok\n');
      const schema = JSON.stringify(subject.tool('Bash').inputSchema);
      expect(schema).toContain('Milliseconds');
      for (const timeout of [0, -1, 600_001]) {
        const text = await fail(subject, 'Bash', { command: 'echo ran', timeout });
        expect(text).toContain('milliseconds');
        expect(text).toContain('600000');
      }
    });

    it('tools:bash-abort: ends the command when the caller aborts, and says interrupted [D07]', async () => {
      await using subject = await options.open();
      const sleep = longSleep();
      const abort = new AbortController();
      const running = call(subject, {
        tool: 'Bash',
        input: { command: `touch started; echo part; ${sleep}` },
        signal: abort.signal,
      });
      await vi.waitFor(async () => expect(await subject.backend.stat('started')).toBeDefined(), { timeout: 20_000 });
      abort.abort();
      const result = await running;
      expect(result.state).toBe('interrupted');
      await expect.poll(() => countProcesses(subject, sleep), { timeout: 20_000 }).toBe(0);
    });

    it('tools:bash-aborted-before: does not start what is aborted already', async () => {
      await using subject = await options.open();
      const result = await call(subject, {
        tool: 'Bash',
        input: { command: 'touch ran' },
        signal: AbortSignal.abort(),
      });
      expect(result.state).toBe('interrupted');
      expect(await subject.backend.stat('ran')).toBeUndefined();
    });

    it.each([
      ['T51', 'sleep 60 & echo done', 'done\n'],
      ['D09', 'nohup sleep 60 >/dev/null 2>&1 & echo s', 's\n'],
    ])('tools:bash-held-pipe: does not wait for a child that holds the pipe [%s]', async (_number, command, output) => {
      await using subject = await options.open();
      const elapsed = await millisecondsOf(async () => {
        expect(await succeed(subject, 'Bash', { command })).toBe(output);
      });
      expect(elapsed).toBeLessThan(PROMPT_MS);
    });

    it('tools:bash-substitution: does not wait for a process substitution [T52]', async () => {
      await using subject = await options.open();
      const hasBash = (await subject.backend.exec(['sh', '-c', 'command -v bash'])).end;
      const command = 'echo a > >(sleep 30; cat)';
      const elapsed = await millisecondsOf(async () => {
        const result = await call(subject, { tool: 'Bash', input: { command } });
        const expected = hasBash.kind === 'exited' && hasBash.exitCode === 0 ? 'success' : 'error';
        expect(result.state).toBe(expected);
      });
      expect(elapsed).toBeLessThan(PROMPT_MS);
    });

    it('tools:bash-children: leaves children of a normal end alone, and says so in its description [T59]', async () => {
      await using subject = await options.open();
      expect(await succeed(subject, 'Bash', { command: '(sleep 1; echo x > left) & echo up' })).toBe('up\n');
      await expect.poll(() => subject.backend.stat('left'), { timeout: 7_000 }).toMatchObject({ sizeBytes: 2 });
      expect(subject.tool('Bash').description).toContain('live on until the workspace closes');
    });

    it('tools:bash-long-output: keeps head and tail, with the mark on a line of its own [T49]', async () => {
      await using subject = await options.open();
      const result = await call(subject, { tool: 'Bash', input: { command: 'seq 1 200000; echo END' } });
      expect(result.state).toBe('success');
      const lines = textOf(result).split('\n');
      expect(lines[0]).toBe('1');
      expect(lines.at(-2)).toBe('END');
      const marks = lines.filter((line) => !/^(\d+|END|)$/.test(line));
      expect(marks).toHaveLength(1);
      const dropped = result.metadata['dropped_bytes'] as number;
      expect(marks[0]).toBe(`[… ${dropped.toLocaleString('en-US')} bytes left out here …]`);
      const shown = lines.filter((line) => line !== marks[0]).join('\n').length;
      expect(shown + dropped).toBe(1_288_895 + 'END\n'.length);
      expect(textOf(result).length).toBeLessThan(30_100);
      const numbers = lines.filter((line) => /^\d+$/.test(line)).map(Number);
      const gaps = numbers.filter((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
      expect(gaps).toHaveLength(1);
    });

    it('tools:bash-wide-characters: cuts one long line between characters', async () => {
      await using subject = await options.open();
      await put100KBOfEmoji(subject);
      const text = await succeed(subject, 'Bash', { command: 'cat wide.txt' });
      expect(text).not.toContain('\u{FFFD}');
      expect(text).toMatch(/^(😀)+\n\[… [\d,]+ bytes left out here …\]\n(😀)+$/u);
    });

    it(
      'tools:bash-huge-output: ends and stays small when a command floods it [T47]',
      { timeout: 120_000 },
      async () => {
        await using subject = await options.open();
        const before = process.memoryUsage().rss;
        const command = 'yes | head -c 700000000';
        const result = await call(subject, { tool: 'Bash', input: { command } });
        expect(result.metadata).toMatchObject({ exit_code: 0 });
        expect(textOf(result).length).toBeLessThan(30_100);
        expect(result.metadata['dropped_bytes']).toBeGreaterThan(699_900_000);
        // What was read and let go of counts until it is collected, which is some 100 MiB; to hold it all would be 700 MB.
        expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
      },
    );

    it('tools:bash-background: returns number, process group and log, which Read shows [T58]', async () => {
      await using subject = await options.open();
      const command = 'sleep 0.1 & sleep 0.1 & wait; echo finished';
      const result = await call(subject, { tool: 'Bash', input: { command, run_in_background: true } });
      expect(result.state).toBe('success');
      const { number, process_group: group, log_path: log, status_path: status } = result.metadata;
      expect(number).toBe(1);
      expect(group).toBeGreaterThan(1);
      const text = textOf(result);
      expect(text).not.toContain('NaN');
      expect(text).toContain(`Read(file_path=${JSON.stringify(log)})`);
      expect(text).toContain(`kill -- -${String(group)}`);
      await expect
        .poll(async () => textOf(await call(subject, { tool: 'Read', input: { file_path: log } })), { timeout: 20_000 })
        .toContain('     1\tfinished');
      await expect.poll(() => subject.backend.stat(String(status)), { timeout: 20_000 }).toBeDefined();
    });

    it('tools:bash-background-kill: ends the group by the command it names, and nothing else [T63]', async () => {
      await using subject = await options.open();
      const unrelated = longSleep();
      const sleep = longSleep();
      await sh(subject, `${unrelated} >/dev/null 2>&1 &`);
      const started = await call(subject, {
        tool: 'Bash',
        input: { command: `${sleep} | cat`, run_in_background: true },
      });
      await expect.poll(() => countProcesses(subject, sleep), { timeout: 20_000 }).toBeGreaterThan(0);
      const kill = /kill -- -\d+/.exec(textOf(started))?.[0];
      await succeed(subject, 'Bash', { command: kill });
      await expect.poll(() => countProcesses(subject, sleep), { timeout: 20_000 }).toBe(0);
      expect(await countProcesses(subject, unrelated)).toBeGreaterThan(0);
    });

    it('tools:bash-background-timeout: ends a background command at its timeout, on record [T54]', async () => {
      await using subject = await options.open();
      const sleep = longSleep();
      const result = await call(subject, {
        tool: 'Bash',
        input: { command: sleep, timeout: 1_000, run_in_background: true },
      });
      const recordDirectory = posix.dirname(String(result.metadata['log_path']));
      const [background] = await subject.backend.listBackground({ recordDirectories: [recordDirectory] });
      await expect.poll(() => background?.state(), { timeout: 6_000 }).toEqual({ kind: 'timed-out' });
      await expect.poll(() => countProcesses(subject, sleep), { timeout: 20_000 }).toBe(0);
    });

    it('tools:bash-no-env: has no way to set the environment of the shell [X13]', async () => {
      await using subject = await options.open();
      const properties = subject.tool('Bash').inputSchema['properties'] as Record<string, unknown>;
      expect(Object.keys(properties)).toEqual(['command', 'description', 'timeout', 'run_in_background']);
      await sh(subject, 'echo "echo evil" > evil.sh');
      const env = { BASH_ENV: at(subject, 'evil.sh') };
      expect(await succeed(subject, 'Bash', { command: 'echo good', env })).toBe('good\n');
    });

    it('tools:bash-input: says what is wrong with its input, and takes numbers given as text', async () => {
      await using subject = await options.open();
      expect(await fail(subject, 'Bash', {})).toContain('- command: it is required');
      expect(await fail(subject, 'Bash', { command: 7 })).toContain('- command: ');
      const input = { command: 'echo ok > f; cat f', timeout: '5000', run_in_background: 'false', description: null };
      expect(await succeed(subject, 'Bash', input)).toBe('ok\n');
      expect(await bytesOf(subject, 'f')).toBe('ok\n');
    });
  });
}

async function put100KBOfEmoji(subject: ToolsSubject): Promise<void> {
  await subject.backend.writeFile('wide.txt', '😀'.repeat(100_000));
}
