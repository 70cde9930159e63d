import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceState } from '../fixtures/service.ts';

export interface KillServiceOptions {
  readonly engine: 'docker' | 'e2b' | 'kubernetes';
  /** Of its SQLite file, or of a kubeconfig. */
  readonly path: string;
  /** For Docker; for Kubernetes a namespace. */
  readonly basedir?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Has a service of its own process build a workspace and a slot, and kills it. */
export async function killService({ engine, path, basedir = '', env }: KillServiceOptions): Promise<ServiceState> {
  const program = fileURLToPath(new URL('../fixtures/service.ts', import.meta.url));
  const service = fork(program, [engine, path, basedir], { env: { ...process.env, ...env } });
  const [state] = (await once(service, 'message')) as [ServiceState];
  service.kill('SIGKILL');
  await once(service, 'exit');
  return state;
}
