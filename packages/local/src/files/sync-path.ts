import { closeSync, openSync } from 'node:fs';
import { syncDescriptor } from './descriptor.ts';

/** Brings a file's content, or a directory's names, to the device. */
export async function syncPath(realPath: string): Promise<void> {
  const descriptor = openSync(realPath, 'r');
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
