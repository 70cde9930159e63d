import { randomUUID } from 'node:crypto';
import { E2BWorkspace } from '@agent-workspace/e2b';
import { E2BEmulator } from '@agent-workspace/e2b-emulator';
import { buildPrograms } from '../build-programs.ts';
import { SERVER_PACKAGES } from '../seeds.ts';
import { type OpenOptions, type Place, PlaceUnavailableError } from './place.ts';

/** A sandbox of E2B where there is a key for it, else of an emulator that lives as long as the demo. */
export async function e2bPlace(): Promise<Place> {
  await buildPrograms('gateway', 'emulator');
  const workspaceId = `demo-${randomUUID()}`;
  const hasKey = (process.env['E2B_API_KEY'] ?? '') !== '';
  const emulator = hasKey ? undefined : await startEmulator();
  const connection = emulator && {
    apiKey: emulator.env.E2B_API_KEY,
    apiUrl: emulator.env.E2B_API_URL,
    sandboxUrl: emulator.env.E2B_SANDBOX_URL,
  };
  return {
    name: emulator === undefined ? 'a sandbox of E2B' : 'a sandbox of an E2B emulator on this machine',
    left:
      emulator === undefined
        ? `The sandbox stays, paused: E2BWorkspace.open({ workspaceId: '${workspaceId}' }) wakes it`
        : 'The sandbox was the emulator’s, and is gone with it',
    open: ({ seeds, onEvent }: OpenOptions = {}) =>
      E2BWorkspace.open({ ...connection, workspaceId, extraNpm: SERVER_PACKAGES, onEvent, ...seeds }),
    [Symbol.asyncDispose]: async () => emulator?.close(),
  };
}

/** Sandboxes that reach npm's registry, which those of the other kinds do not, or not apart from this machine. */
async function startEmulator(): Promise<E2BEmulator> {
  try {
    return await E2BEmulator.start({ isolation: 'docker' });
  } catch (error) {
    const { message } = error as Error;
    const reason = `The emulator's sandboxes are containers here, and cannot be made: ${message}`;
    throw new PlaceUnavailableError(`${reason}\nStart a Docker Engine, or set E2B_API_KEY to use E2B itself.`, {
      cause: error,
    });
  }
}
