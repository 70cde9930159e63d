import { GatewayStartFailedError } from '@agent-workspace/core';
import type { AddAttachmentRequest } from '@agent-workspace/gateway-protocol';
import type { Sandbox } from './sandbox.ts';

/** For all of a start, and for all of an end. */
const DEADLINE_MS = 30_000;

/** 25 ms apart: for a gateway to be ready on a slow machine. */
const LOOKS = 400;

/**
 * Hands the attachment, a line on stdin, to the gateway that runs, and starts one first if none does.
 * Two hosts that do this at once start one gateway: the lock is a directory, left behind by a host that
 * died for five seconds at the most. A gateway that runs and does not answer is ended first. The log is
 * that of the last start.
 */
const LAUNCH = `
IFS= read -r line
node=$1; bundle=$2; admin=$3; pidfile=$4; log=$5; looks=$6; shift 6
attach() { [ -S "$admin" ] && printf '%s\\n' "$line" | "$node" "$bundle" attach --admin-socket "$admin" 2>>"$log.attach"; }
attach && { echo attached; exit 0; }
n=0
until mkdir "$admin.lock" 2>/dev/null; do
  [ -d "\${admin%/*}" ] || { echo "there is no directory for $admin" >&2; exit 1; }
  n=$((n + 1)); [ $((n % 100)) -eq 0 ] && rmdir "$admin.lock" 2>/dev/null
  [ $n -gt 300 ] && { echo "$admin.lock is never free" >&2; exit 1; }
  sleep 0.05
  attach && { echo attached; exit 0; }
done
trap 'rmdir "$admin.lock" 2>/dev/null' EXIT
[ $n -gt 0 ] && attach && { echo attached; exit 0; }
read -r old 2>/dev/null <"$pidfile" && grep -aqF "$bundle" "/proc/$old/cmdline" 2>/dev/null && kill -KILL "$old"
rm -f "$admin"
nohup "$node" "$bundle" "$@" </dev/null >"$log" 2>&1 &
pid=$!
echo $pid >"$pidfile"
n=0
while kill -0 $pid 2>/dev/null && [ $n -lt $looks ]; do
  attach && { echo started; exit 0; }
  n=$((n + 1)); sleep 0.025
done
kill $pid 2>/dev/null
tail -c 4000 "$log" >&2
[ -f "$log.attach" ] && tail -c 1000 "$log.attach" >&2
exit 1
`;

/** Ends the gateway, whatever its version. */
const HALT = `
read -r pid 2>/dev/null <"$1" || exit 0
kill $pid 2>/dev/null
n=0
while kill -0 $pid 2>/dev/null && [ $n -lt 100 ]; do
  n=$((n + 1)); [ $n -eq 80 ] && kill -KILL $pid
  sleep 0.1
done
rm -f "$1"
`;

async function run(sandbox: Sandbox, script: string, parameters: readonly string[], stdin?: string): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const argv = ['sh', '-c', script, 'sh', ...parameters];
  const { exitCode, stdout, stderr } = await sandbox.run(argv, { stdin, signal });
  if (exitCode === 0) return stdout.trim();
  throw new GatewayStartFailedError({ reason: `its start ended with ${exitCode}`, output: stderr.trim() });
}

/** Puts what is missing of the gateway's files. */
export async function putGatewayFiles(sandbox: Sandbox): Promise<void> {
  await Promise.all(
    (sandbox.gateway.files ?? []).map(async (file) => {
      const { exitCode } = await sandbox.run(['test', '-e', file.path]);
      if (exitCode !== 0) await sandbox.putFile(file);
    }),
  );
}

/**
 * Attaches to the gateway of a sandbox, which is started if it does not run. Once begun it is not to be
 * aborted: a gateway that has just been started would be nobody's.
 *
 * @throws `gateway-start-failed`, with the end of its log
 */
export async function launchGateway(
  sandbox: Sandbox,
  attachment: AddAttachmentRequest,
): Promise<'attached' | 'started'> {
  const { node, bundle, listen, adminSocket, pidFile, logFile, ripgrep, allowedHosts = [] } = sandbox.gateway;
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
  ];
  const parameters = [node, bundle, adminSocket, pidFile, logFile, String(LOOKS), ...serve];
  const said = await run(sandbox, LAUNCH, parameters, `${JSON.stringify(attachment)}\n`);
  return said === 'attached' ? 'attached' : 'started';
}

/** Ends the gateway of a sandbox, and with it what it has started. */
export async function haltGateway(sandbox: Sandbox): Promise<void> {
  await run(sandbox, HALT, [sandbox.gateway.pidFile]);
}
