import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command, from its sources. */
export const MAIN: string = fileURLToPath(new URL('../../src/bin/main.ts', import.meta.url));

export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Runs the command as its users do, in a process of its own, without an E2B key of this machine. */
export async function runCommandLine(args: readonly string[], { cwd, env }: RunOptions = {}): Promise<Run> {
  const { E2B_API_KEY: _key, ...environment } = process.env;
  return await new Promise((resolve) => {
    const options = { cwd, env: { ...environment, ...env }, maxBuffer: 16 * 1024 * 1024 };
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}
