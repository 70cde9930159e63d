import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from './run-cli.ts';

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCli(args, {
    environment,
    print: (line) => (stdout += `${line}\n`),
    say: (text) => (stderr += text),
    isTerminal: false,
  });
  return { exitCode, stdout, stderr };
}

describe('runCli', () => {
  it.each([
    [[], 'Name a command.'],
    [['nope'], 'There is no command "nope".'],
    [['mcp', '--nope'], "'--nope'"],
    [['mcp', 'extra'], 'extra'],
    [['mcp', '--backend', 'vm'], '--backend takes local, docker, e2b, kubernetes; there is no "vm".'],
    [['mcp', '--workdir'], 'argument missing'],
    [['mcp', '--tools', 'Read,,Bash'], '--tools has an empty entry'],
    [['mcp', '--env', 'x'], '--env takes NAME=VALUE, not "x".'],
    [['mcp', '--max-result-bytes', '10'], '--max-result-bytes takes a number from 4000 to 10000000, not "10".'],
    [['mcp', '--http', '99999'], '--http takes a number from 0 to 65535, not "99999".'],
    [['mcp', '--host', '0.0.0.0'], '--host is for --http.'],
    [['mcp', '--http', '0', '--idle-timeout', 'soon'], '--idle-timeout takes a time such as 90s'],
    [['mcp', '--backend', 'e2b', '--workdir', '.'], '--workdir is a directory of the sandbox'],
    [['mcp', '--mcp-config', 'none.json'], 'none.json cannot be read'],
    [['gc', '--only', 'files'], '--only takes containers, images, sockets; there is no "files".'],
    [['gc', '--older-than', '1w'], '--older-than takes a time'],
    [['doctor', '--backend', 'vm'], 'there is no "vm"'],
    [['ls', 'one', 'two'], 'There is no use for "two".'],
  ])('exits with 2 on %j, and says why', async (args, reason) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('tells its version and how it is used', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await run(['--version'])).toStrictEqual({
      exitCode: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    const help = await run(['--help']);
    for (const command of ['mcp', 'ls', 'doctor', 'gc', 'image']) {
      expect(help.stdout).toContain(`  ${command} `);
      const own = await run([command, '--help']);
      expect([own.exitCode, own.stdout.split('\n')[0]]).toStrictEqual([
        0,
        expect.stringContaining(`agent-workspace ${command} `),
      ]);
    }
  });

  it('does not take two answers to one question', async () => {
    const both = await run(['mcp', '--http', '0', '--no-token'], { AGENT_WORKSPACE_TOKEN: 'x' });
    expect([both.exitCode, both.stderr]).toStrictEqual([2, expect.stringContaining('--no-token contradicts')]);
  });
});
