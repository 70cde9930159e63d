import type { Backend } from '../backend/backend.ts';

type Shell = 'bash' | 'sh';

const shells = new WeakMap<Backend, Promise<Shell>>();

async function probe(backend: Backend): Promise<Shell> {
  const { end } = await backend.exec(['sh', '-c', 'command -v bash']);
  return end.kind === 'exited' && end.exitCode === 0 ? 'bash' : 'sh';
}

/** `bash` where the backend has it, else `sh`; small images have no other. */
export async function findShell(backend: Backend): Promise<Shell> {
  const known = shells.get(backend);
  if (known !== undefined) return known;
  const found = probe(backend);
  shells.set(backend, found);
  try {
    return await found;
  } catch (error) {
    shells.delete(backend);
    throw error;
  }
}
