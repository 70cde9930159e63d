import { GatewayStartFailedError } from '@agent-workspace/core';
import { type AddAttachmentRequest, type ReadyLine, readyLineSchema } from '@agent-workspace/gateway-protocol';
import { inTime } from './in-time.ts';
import { ATTACH_SCRIPT, HALT_SCRIPT, LAUNCH_SCRIPT } from './launch-scripts.ts';
import type { Sandbox, SandboxCommand, SandboxRunResult } from './sandbox.ts';

/** For all of a start, and for all of an end. */
const DEADLINE_MS = 30_000;

/** What a launch came to: a gateway ran already, or was started. */
export type Launched =
  | { readonly how: 'attached' }
  | { readonly how: 'started'; readonly ready: ReadyLine | undefined };

/** Puts what is missing of the gateway's files. */
export async function putGatewayFiles(sandbox: Sandbox): Promise<void> {
  await Promise.all(
    (sandbox.gateway.files ?? []).map(async (file) => {
      const { exitCode } = await sandbox.run(['test', '-e', file.path]);
      if (exitCode !== 0) await sandbox.putFile(file);
    }),
  );
}

/** What is run in a sandbox to attach to its gateway, which is started if it does not run. */
export function launchCommand(sandbox: Sandbox, attachment: AddAttachmentRequest): SandboxCommand {
  const { node, bundle, listen, adminSocket, pidFile, logFile, ripgrep, allowedHosts = [] } = sandbox.gateway;
  const { compileCache = '' } = sandbox.gateway;
  const serve = [
    ...listen,
    '--admin-socket',
    adminSocket,
    '--workdir',
    sandbox.workdir,
    '--kind',
    sandbox.kind,
    ...(ripgrep === undefined ? [] : ['--rg', ripgrep]),
    ...allowedHosts.flatMap((host) => ['--allow-host', host]),
    '--attach',
  ];
  const parameters = [ATTACH_SCRIPT, compileCache, node, bundle, adminSocket, pidFile, logFile, ...serve];
  return { argv: ['sh', '-c', LAUNCH_SCRIPT, 'sh', ...parameters], stdin: `${JSON.stringify(attachment)}\n` };
}

/** @throws `gateway-start-failed`, with the end of its log */
export function launchResult(result: SandboxRunResult): Launched {
  const [, line] = /^started (.*)$/.exec(said(result)) ?? [];
  return line === undefined ? { how: 'attached' } : { how: 'started', ready: readyLine(line) };
}

/** What a gateway of our kind said; one of another version may put it otherwise, and can be asked. */
function readyLine(line: string): ReadyLine | undefined {
  try {
    const parsed = readyLineSchema().safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Attaches to the gateway of a sandbox, which is started if it does not run. Once begun it is not to be
 * aborted: a gateway that has just been started would be nobody's.
 *
 * @throws `gateway-start-failed`, with the end of its log, or after 30 s
 */
export async function launchGateway(sandbox: Sandbox, { argv, stdin }: SandboxCommand): Promise<Launched> {
  const work = { what: 'its launch in the sandbox', timeoutMs: DEADLINE_MS };
  return launchResult(await inTime(work, (signal) => sandbox.run(argv, { stdin, signal })));
}

/** Ends the gateway of a sandbox, and with it what it has started. */
export async function haltGateway(sandbox: Sandbox): Promise<void> {
  const argv = ['sh', '-c', HALT_SCRIPT, 'sh', sandbox.gateway.pidFile];
  const work = { what: 'the end of the one before it', timeoutMs: DEADLINE_MS };
  said(await inTime(work, (signal) => sandbox.run(argv, { signal })));
}

function said({ exitCode, stdout, stderr }: SandboxRunResult): string {
  if (exitCode === 0) return stdout.trim();
  throw new GatewayStartFailedError({ reason: `its start ended with ${exitCode}`, output: stderr.trim() });
}
