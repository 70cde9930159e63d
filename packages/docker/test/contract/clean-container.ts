import type { Sandbox } from '@agent-workspace/gateway-client';

/** Outside of the workdir, for the suites' own use. */
export const OUTSIDE_DIRECTORY = '/home/agent/outside';

/** Kills all but the container's own two processes, the gateway with the shells that make its pipes, the relays to it and itself; prints what that was. */
const END_PROCESSES = `
others() {
  for directory in /proc/[0-9]*; do
    pid=\${directory#/proc/}
    [ "$pid" = 1 ] || [ "$pid" = $$ ] && continue
    line=$(tr '\\0' ' ' <"$directory/cmdline" 2>/dev/null) || continue
    case $line in
      '' | 'sleep infinity ' | */gateway.cjs\\ --* | *allowHalfOpen* | *'aw-clean'* | '/bin/sh -c hold() {'*) ;;
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
[ -z "$found" ]
`;

/** Empties what a test may have written to, and fails where that leaves anything. */
const REMOVE_FILES = `
for directory in "$@"; do
  [ -d "$directory" ] || continue
  chmod -R u+rwX "$directory" 2>/dev/null
  find "$directory" -mindepth 1 -delete
  [ -z "$(ls -A "$directory")" ] || { ls -lA "$directory" >&2; exit 1; }
done
`;

async function run(sandbox: Sandbox, script: string, parameters: readonly string[] = []): Promise<string> {
  const result = await sandbox.run(['sh', '-c', script, 'aw-clean', ...parameters]);
  if (result.exitCode === 0) return result.stdout.trim();
  throw new Error(`A container could not be cleaned: ${result.stdout}${result.stderr}`);
}

/** Ends all but the gateway. @returns what ran, a line a process */
export function endProcessesIn(sandbox: Sandbox): Promise<string> {
  return run(sandbox, END_PROCESSES);
}

/** Removes all files that a test may have made. */
export async function removeFilesIn(sandbox: Sandbox): Promise<void> {
  await run(sandbox, REMOVE_FILES, [sandbox.workdir, OUTSIDE_DIRECTORY, '/tmp']);
}
