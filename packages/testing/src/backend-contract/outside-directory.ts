import type { Backend } from '@agent-workspace/core';
import { expect } from 'vitest';
import { type BackendContractOptions, runShell } from './contract-backend.ts';

/** A directory outside of the workdir, with a file `secret.txt` in it. */
export interface OutsideDirectory extends AsyncDisposable {
  readonly path: string;
  /** Names of what is in it now. */
  names(): Promise<readonly string[]>;
}

export async function makeOutsideDirectory(
  backend: Backend,
  { outsideDirectory }: BackendContractOptions,
): Promise<OutsideDirectory> {
  const path = outsideDirectory ?? `${backend.workdir}-outside`;
  const made = await runShell(backend, `mkdir -p '${path}' && printf secret > '${path}/secret.txt'`);
  expect(made.end).toEqual({ kind: 'exited', exitCode: 0 });
  return {
    path,
    names: async () => (await backend.readDirectory(path)).map(({ name }) => name),
    async [Symbol.asyncDispose](): Promise<void> {
      await runShell(backend, `rm -rf '${path}'`);
    },
  };
}

/** What is led out of the roots is refused; where the sandbox is the border there is nothing to be led out of. */
export async function expectConfined(backend: Backend, work: Promise<unknown>): Promise<void> {
  if (backend.roots === null) await work;
  else await expect(work).rejects.toMatchObject({ code: 'path-outside-root' });
}
