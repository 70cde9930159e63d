import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { ConnectedClient, textOf } from './support/connected-client.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pids(path: string): Promise<readonly number[]> {
  return (await readFile(path, 'utf8')).trim().split('\n').map(Number);
}

/** Two processes that would go on for long, whose numbers are in a file. */
const LONG_TREE = 'sleep 1000 & echo $! > pids; echo $$ >> pids; wait';

describe('a call', () => {
  it('that is cancelled ends with its whole tree', async () => {
    await using connected = await ConnectedClient.connect();
    const controller = new AbortController();
    const request = { name: 'Bash', arguments: { command: LONG_TREE } };
    const call = connected.client
      .callTool(request, undefined, { signal: controller.signal })
      .catch((error: unknown) => error);
    const path = `${connected.workdir}/pids`;
    await vi.waitFor(async () => expect(await pids(path)).toHaveLength(2), 20_000);
    const tree = await pids(path);
    expect(tree.map(isAlive)).toStrictEqual([true, true]);
    controller.abort('no longer wanted');
    await call;
    await vi.waitFor(() => expect(tree.map(isAlive)).toStrictEqual([false, false]), 20_000);
    expect(textOf(await connected.call('Bash', { command: 'echo still here' }))).toContain('still here');
  });

  it('tells what a command prints, where the client asked to be told', async () => {
    await using connected = await ConnectedClient.connect();
    const news: (string | undefined)[] = [];
    const onprogress = ({ message }: { readonly message?: string | undefined }): void => void news.push(message);
    const command = 'echo working; until [ -e go ]; do sleep 0.05; done; echo done';
    const call = connected.client.callTool({ name: 'Bash', arguments: { command } }, undefined, { onprogress });
    await vi.waitFor(() => expect(news).toContain('working'), 20_000);
    await writeFile(`${connected.workdir}/go`, '');
    await call;
  });

  it('with bad arguments says what is wrong with them', async () => {
    await using connected = await ConnectedClient.connect();
    const failed = await connected.call('Read', { path: 1 });
    expect([failed.isError, textOf(failed)]).toStrictEqual([true, expect.stringContaining('file_path')]);
  });

  it('of an unknown method is answered', async () => {
    await using connected = await ConnectedClient.connect();
    await expect(connected.client.request({ method: 'nope/nope' }, EmptyResultSchema)).rejects.toMatchObject({
      code: -32_601,
    });
  });
});

describe('the end of a connection', () => {
  it('ends what runs, in the background too', async () => {
    const connected = await ConnectedClient.connect();
    const running = connected.call('Bash', { command: LONG_TREE }).catch(() => undefined);
    const path = `${connected.workdir}/pids`;
    await vi.waitFor(async () => expect(await pids(path)).toHaveLength(2), 20_000);
    const tree = await pids(path);
    await connected.client.close();
    await connected.server.closed;
    await running;
    // Whoever adopts what has ended takes a moment to see it.
    await vi.waitFor(() => expect(tree.map(isAlive)).toStrictEqual([false, false]), 20_000);
    await connected[Symbol.asyncDispose]();
  });

  it('ends a background command', async () => {
    const connected = await ConnectedClient.connect();
    await connected.call('Bash', { command: LONG_TREE, run_in_background: true });
    const path = `${connected.workdir}/pids`;
    await vi.waitFor(async () => expect(await pids(path)).toHaveLength(2), 20_000);
    const tree = await pids(path);
    await connected.client.close();
    await connected.server.closed;
    await vi.waitFor(() => expect(tree.map(isAlive)).toStrictEqual([false, false]), 20_000);
    await connected[Symbol.asyncDispose]();
  });
});
