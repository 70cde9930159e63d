import type { Sandbox, SandboxOpts } from 'e2b';
import { CASES } from './all-cases.ts';
import type { Sdk } from './sdk-case.ts';

/** A line of output for each case. */
export interface CaseOutcome {
  readonly name: string;
  /** With its stack. `undefined`: it passed. */
  readonly problem?: string | undefined;
}

/** More than all cases take, on a machine that has other things to do. */
const SHARED_LIFE_MS = 3_600_000;

/** A program: runs all cases with a version of the SDK, named by its address, in sandboxes of a kind. */
async function main([sdkUrl = '', kind = '']: readonly string[]): Promise<void> {
  const sdk = (await import(sdkUrl)) as Sdk;
  const shared = await sdk.Sandbox.create({ timeoutMs: SHARED_LIFE_MS });
  for (const { name, run, needsRoot } of CASES) {
    if (needsRoot === true && kind === 'process') continue;
    const own: Sandbox[] = [];
    const create = async (options: SandboxOpts = {}): Promise<Sandbox> => {
      const sandbox = await sdk.Sandbox.create(options);
      own.push(sandbox);
      return sandbox;
    };
    let problem: string | undefined;
    try {
      await run({ sdk, sandbox: shared, create });
    } catch (error) {
      problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    for (const sandbox of own) await sandbox.kill();
    process.stdout.write(`${JSON.stringify({ name, problem } satisfies CaseOutcome)}\n`);
  }
  await shared.kill();
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  },
);
