import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { assertStartable, type CommandPlace, explainStartFailure } from './start-failure.ts';

export interface StartedChild {
  readonly child: ChildProcess;
  /** Also its process group and session. */
  readonly pid: number;
}

/**
 * Starts a program, without a shell, in a session and process group of its own.
 *
 * @throws `exec-failed`
 */
export async function startChild(place: CommandPlace & { readonly stdio: StdioOptions }): Promise<StartedChild> {
  assertStartable(place);
  const { argv, cwd, env, stdio } = place;
  let child: ChildProcess;
  try {
    child = spawn(argv[0] ?? '', argv.slice(1), { cwd, env, stdio, detached: true });
  } catch (error) {
    throw await explainStartFailure(error, place);
  }
  if (child.pid !== undefined) return { child, pid: child.pid };
  const [error] = (await once(child, 'error')) as [unknown];
  throw await explainStartFailure(error, place);
}
