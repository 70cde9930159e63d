import type { Backend, BackendProcess, BackgroundProcess } from '@agent-workspace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { holdingBackend } from './holding-backend.ts';

describe('holdingBackend', () => {
  let holds: number;
  let background: number;
  let calls: string[];

  beforeEach(() => {
    holds = 0;
    background = 0;
    calls = [];
  });

  function holding(backend: Partial<Backend>, wake: () => Promise<void> = async () => undefined): Backend {
    return holdingBackend(backend as Backend, {
      hold() {
        holds += 1;
        return { [Symbol.dispose]: () => void (holds -= 1) };
      },
      holdInBackground() {
        background += 1;
        return { [Symbol.dispose]: () => void (background -= 1) };
      },
      async wake() {
        calls.push(`wake while ${holds} held`);
        await wake();
      },
    });
  }

  it('wakes the sandbox first, and holds until a call is over', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const backend = holding({
      realPath: (path) => {
        calls.push(`realPath ${path}`);
        return promise;
      },
    });
    const asked = backend.realPath('a');
    await expect.poll(() => calls).toStrictEqual(['wake while 1 held', 'realPath a']);
    expect(holds).toBe(1);
    resolve('/a');
    expect(await asked).toBe('/a');
    expect(holds).toBe(0);
  });

  it('lets go where the sandbox cannot be waked, without the call', async () => {
    const backend = holding({}, async () => {
      throw new Error('gone');
    });
    await expect(backend.realPath('a')).rejects.toThrow('gone');
    await expect(backend.openRead('a')).rejects.toThrow('gone');
    expect(calls).toStrictEqual(['wake while 1 held', 'wake while 1 held']);
    expect(holds).toBe(0);
  });

  it('holds until a process has ended, and as what runs in the background where it does', async () => {
    const end = Promise.withResolvers<{ readonly kind: 'exited'; readonly exitCode: number }>();
    const backend = holding({
      spawn: async () => ({ end: end.promise }) as BackendProcess,
      startBackground: async () => ({ wait: () => end.promise }) as unknown as BackgroundProcess,
    });
    await backend.spawn(['a']);
    await backend.startBackground(['b']);
    expect([holds, background]).toStrictEqual([1, 1]);
    end.resolve({ kind: 'exited', exitCode: 0 });
    await expect.poll(() => [holds, background]).toStrictEqual([0, 0]);
  });

  it('holds until a stream has been read, or is not wanted any more', async () => {
    const source = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array([1]));
          controller.enqueue(new Uint8Array([2]));
          controller.close();
        },
      });
    const backend = holding({ openRead: async () => source() });
    const stream = await backend.openRead('a');
    const reader = stream.getReader();
    expect((await reader.read()).value).toStrictEqual(new Uint8Array([1]));
    expect(holds).toBe(1);
    await reader.read();
    expect((await reader.read()).done).toBe(true);
    expect(holds).toBe(0);
    const unwanted = await backend.openRead('a');
    expect(holds).toBe(1);
    await unwanted.cancel();
    expect(holds).toBe(0);
  });
});
