/** Collects the garbage of the node process that started this one, and prints how many bytes its heap has then. */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';

const LIST = 'http://127.0.0.1:9229/json';
const LOOK_MS = 20;
const DEADLINE_MS = 10_000;

const targetsSchema = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]);
const answerSchema = z.object({ id: z.number(), result: z.looseObject({ usedSize: z.number().optional() }) });

async function debuggerUrl(): Promise<string> {
  // Starts the inspector, on the loopback of wherever this runs; again, nothing.
  process.kill(process.ppid, 'SIGUSR1');
  const signal = AbortSignal.timeout(DEADLINE_MS);
  for (;;) {
    const answer = await fetch(LIST, { signal }).catch(() => undefined);
    if (answer !== undefined) return targetsSchema.parse(await answer.json())[0].webSocketDebuggerUrl;
    await setTimeout(LOOK_MS, undefined, { signal });
  }
}

const METHODS = ['HeapProfiler.enable', 'HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'];

const socket = new WebSocket(await debuggerUrl());
socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 0, method: METHODS[0] })));
socket.addEventListener('message', ({ data }) => {
  const answer = answerSchema.safeParse(JSON.parse(String(data)));
  if (!answer.success) return;
  const { id, result } = answer.data;
  const next = METHODS[id + 1];
  if (next !== undefined) {
    socket.send(JSON.stringify({ id: id + 1, method: next }));
    return;
  }
  console.log(result.usedSize);
  socket.close();
});
