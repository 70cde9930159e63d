import { closeSync } from 'node:fs';
import type { OpenReadOptions } from '@agent-workspace/core';
import { readFully } from './descriptor.ts';
import { openForReading } from './open-regular.ts';
import { Pacer } from './pacer.ts';
import type { PathGuard } from './path-guard.ts';
import { throwIfAborted, translateError } from './translate-error.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * A stream over a file as large as it is now: what is appended while it is read does not come, so
 * that a file that grows has an end.
 */
export function openRead(guard: PathGuard, path: string, options: OpenReadOptions = {}): ReadableStream<Uint8Array> {
  const { offset = 0, length = Infinity, signal } = options;
  throwIfAborted(signal, 'read', path);
  const { descriptor, stats } = openForReading(guard, path, options.noFollow);
  const size = Number(stats.size);
  // A file that the kernel makes up says that it is empty, and is not.
  const end = Math.min(offset + length, size > 0 ? size : Infinity);
  let position = offset;
  let isOpen = true;
  const pacer = new Pacer(() => throwIfAborted(signal, 'read', path));
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          pacer.check();
          if (pacer.isDue) await pacer.pause();
          // Cancelled in the pause: the descriptor may be another file's by now.
          if (!isOpen) return;
          const wanted = Math.max(0, Math.min(CHUNK_BYTES, end - position));
          const chunk = await readFully(descriptor, wanted, position);
          position += chunk.byteLength;
          if (chunk.byteLength > 0) controller.enqueue(chunk);
          if (chunk.byteLength > 0 && position < end) return;
          close();
          controller.close();
        } catch (error) {
          close();
          controller.error(translateError(error, 'read', path));
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
