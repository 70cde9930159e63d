import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { describe, expect, it, vi } from 'vitest';
import { StdioProcess } from './support/stdio-process.ts';

const SERVER = fileURLToPath(new URL('fixtures/stdio-server.ts', import.meta.url));

function start(directory: TemporaryDirectory, mode = ''): StdioProcess {
  return new StdioProcess([process.execPath, SERVER, directory.path, mode]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a command that runs for long. @returns its process number */
async function startLongCommand(server: StdioProcess, directory: TemporaryDirectory): Promise<number> {
  const call = { name: 'Bash', arguments: { command: 'echo $$ > pid; sleep 1000' } };
  server.send({ id: 7, method: 'tools/call', params: call });
  return await vi.waitUntil(
    async () => Number(await readFile(directory.at('pid'), 'utf8').catch(() => '')) || undefined,
    { timeout: 50_000 },
  );
}

describe('over stdio', { timeout: 180_000 }, () => {
  it('what is no message gets an answer that says so, and nothing hangs', async () => {
    await using directory = await TemporaryDirectory.create();
    await using server = start(directory);
    await server.initialize();
    server.sendText('{"jsonrpc": "2.0", broken\n\n   \n');
    server.sendText('42\n[]\n');
    server.sendText('{"id": 5, "method": 1}\n');
    server.sendText('{"jsonrpc":"2.0","id":6,"method":"nope"}\r\n');
    server.sendText('{"jsonrpc":"2.0","id":7,');
    server.sendText('"method":"ping"}\n');
    await server.answerTo(7);
    expect(server.answers.slice(1).map(({ id, error }) => [id, error?.code])).toStrictEqual([
      [null, -32_700],
      [null, -32_600],
      [null, -32_600],
      [5, -32_600],
      [6, -32_601],
      [7, undefined],
    ]);
  });

  it('nothing but messages is on stdout, whatever is printed', async () => {
    await using directory = await TemporaryDirectory.create({ 'a.txt': 'a\n' });
    await using server = start(directory, 'noisy');
    await server.initialize();
    server.send({ id: 1, method: 'tools/call', params: { name: 'Read', arguments: { file_path: 'a.txt' } } });
    expect((await server.answerTo(1)).result?.['isError']).toBeUndefined();
    expect(server.answers.every((answer) => answer.id !== undefined || answer.method !== undefined)).toBe(true);
    for (const text of ['from console.log', 'from console.info', 'from process.stdout']) {
      expect(server.stderr).toContain(text);
    }
  });

  it('a large message goes both ways', async () => {
    await using directory = await TemporaryDirectory.create();
    await using server = start(directory);
    await server.initialize();
    const content = 'ä'.repeat(6 * 1024 * 1024);
    server.send({ id: 1, method: 'tools/call', params: { name: 'Write', arguments: { file_path: 'big', content } } });
    expect((await server.answerTo(1)).result?.['isError']).toBeUndefined();
    expect(await readFile(directory.at('big'), 'utf8')).toBe(content);
  });

  it.each(['the end of stdin', 'SIGTERM', 'SIGINT'])('%s ends all that runs, and the process', async (how) => {
    await using directory = await TemporaryDirectory.create();
    await using server = start(directory);
    await server.initialize();
    const pid = await startLongCommand(server, directory);
    expect(isAlive(pid)).toBe(true);
    if (how === 'the end of stdin') server.child.stdin.end();
    else server.child.kill(how as NodeJS.Signals);
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
    // Whoever adopts what has ended takes a moment to see it.
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000);
    expect(server.stderr).toContain('closed');
  });

  it('a client that no longer reads ends it, too', async () => {
    await using directory = await TemporaryDirectory.create();
    await using server = start(directory);
    await server.initialize();
    server.child.stdout.destroy();
    const ping = setInterval(() => server.send({ id: 9, method: 'ping' }), 10);
    expect((await server.exited).code).toBe(0);
    clearInterval(ping);
  });
});
