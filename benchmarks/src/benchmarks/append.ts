import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { LocalWorkspace } from '@agent-workspace/local';
import type { Message } from '@agent-workspace/core';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';

const LONG_BYTES = 100 * 1024 * 1024;
const BAR = { 'the first append': { bar: 1.5 } };

/** About 1 KiB as a line of `context.jsonl`. */
function makeMessage(): Message {
  return {
    id: randomUUID(),
    name: 'assistant',
    role: 'assistant',
    content: [{ type: 'text', id: randomUUID(), text: 'what was said a while ago, '.repeat(30) }],
  };
}

/** A directory with a session `long`, whose `context.jsonl` has 100 MiB of different messages. */
async function makeLongSession(workdir: string): Promise<void> {
  await using workspace = await LocalWorkspace.open({ workdir });
  const first = makeMessage();
  const path = await workspace.offloadContext('long', [first]);
  const file = await open(path, 'r+');
  try {
    const line = await file.readFile('utf8');
    const linesAtOnce = 1000;
    for (let size = line.length; size < LONG_BYTES; size += line.length * linesAtOnce) {
      const lines = Array.from({ length: linesAtOnce }, () => line.replace(first.id, randomUUID()));
      await file.appendFile(lines.join(''));
    }
  } finally {
    await file.close();
  }
}

/** One more message, in a workspace that has appended to both sessions before. */
export const appendWarm: Benchmark = {
  name: 'append-warm',
  async run(scratch) {
    const workdir = join(scratch, 'append-warm');
    await makeLongSession(workdir);
    await using workspace = await LocalWorkspace.open({ workdir });
    return await compare({
      name: 'append-warm',
      subjects: [
        { name: 'ours', call: () => workspace.offloadContext('long', [makeMessage()]) },
        { name: 'the first append', call: () => workspace.offloadContext(randomUUID(), [makeMessage()]) },
      ],
      bars: BAR,
      calls: 200,
      warmUpCalls: 20,
    });
  },
};

/** One more message, the first thing that a newly opened workspace does. */
export const appendReopened: Benchmark = {
  name: 'append-reopened',
  async run(scratch) {
    const workdir = join(scratch, 'append-reopened');
    await makeLongSession(workdir);
    let workspace: LocalWorkspace | undefined;
    const reopen = async (): Promise<void> => {
      workspace = await LocalWorkspace.open({ workdir });
    };
    const close = async (): Promise<void> => workspace?.close();
    const append = (sessionId: string) => async (): Promise<unknown> =>
      await workspace?.offloadContext(sessionId, [makeMessage()]);
    return await compare({
      name: 'append-reopened',
      subjects: [
        { name: 'ours', prepare: reopen, call: append('long'), finish: close },
        { name: 'the first append', prepare: reopen, call: () => append(randomUUID())(), finish: close },
      ],
      bars: BAR,
      calls: 30,
      warmUpCalls: 3,
    });
  },
};
