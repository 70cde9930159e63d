import type { SandboxRunResult } from '@agent-workspace/gateway-client';

/** Outside of the workdir, for the suites' own use. */
export const OUTSIDE_DIRECTORY = '/run/agent-workspace/outside';

/** What a test may have written to. */
const DIRECTORIES = ['/workspace', OUTSIDE_DIRECTORY, '/tmp'];

/** Kills all but the Pod's own processes, the gateway with the shells that make its pipes, the relays to it, also one that just starts, and itself; prints what that was. */
const END_PROCESSES = `
others() {
  for directory in /proc/[0-9]*; do
    pid=\${directory#/proc/}
    [ "$pid" = 1 ] || [ "$pid" = $$ ] && continue
    line=$(tr '\\0' ' ' <"$directory/cmdline" 2>/dev/null) || continue
    case $line in
      '' | 'sleep 2147483647 ' | '/pause ' | 'runc init ' | */gateway.cjs\\ --* | *allowHalfOpen* | *'aw-clean'* | '/bin/sh -c hold() {'*) ;;
      *) echo "$pid $line" ;;
    esac
  done
}
found=$(others)
[ -z "$found" ] || printf '%s\\n' "$found"
n=0
while [ -n "$found" ] && [ $n -lt 100 ]; do
  printf '%s\\n' "$found" | while read -r pid _; do kill -KILL "$pid" 2>/dev/null; done
  n=$((n + 1)); sleep 0.02
  found=$(others)
done
[ -z "$found" ] || exit 1
`;

/** Empties what a test may have written to, and fails where that leaves anything. */
const REMOVE_FILES = `
for directory in "$@"; do
  [ -d "$directory" ] || continue
  find "$directory" -mindepth 1 -delete 2>/dev/null && continue
  chmod -R u+rwX "$directory" 2>/dev/null
  find "$directory" -mindepth 1 -delete
  [ -z "$(ls -A "$directory")" ] || { ls -lA "$directory" >&2; exit 1; }
done
`;

/** Runs a program in the Pod, to its end. */
export type Run = (argv: readonly string[]) => Promise<SandboxRunResult>;

async function runScript(run: Run, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['sh', '-c', script, 'aw-clean', ...DIRECTORIES]);
  if (exitCode === 0) return stdout.trim();
  throw new Error(`A Pod could not be cleaned: ${stdout}${stderr}`);
}

/** Ends all but the gateway. @returns what ran, a line a process */
export function endProcesses(run: Run): Promise<string> {
  return runScript(run, END_PROCESSES);
}

/** Removes all files that a test may have made. */
export async function removeFiles(run: Run): Promise<void> {
  await runScript(run, REMOVE_FILES);
}

/** Both. @returns what ran, a line a process */
export function clean(run: Run): Promise<string> {
  return runScript(run, END_PROCESSES + REMOVE_FILES);
}
