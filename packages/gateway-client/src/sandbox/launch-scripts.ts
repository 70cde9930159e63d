/**
 * Hands the line on its stdin to the admin socket, whose path is its argument. A program of its own, since
 * the gateway's takes Node three times as long to load.
 */
export const ATTACH_SCRIPT = `
const socket = require('node:net').connect({ path: process.argv[1] });
const fail = (reason) => { process.exitCode = 1; process.stderr.write(reason + '\\n'); socket.destroy(); process.stdin.destroy(); };
let answer = '';
socket.setTimeout(10000, () => fail('the gateway gave no answer'));
socket.on('error', (error) => fail(error.message));
socket.on('data', (chunk) => { answer += chunk; });
socket.on('end', () => {
  try { const { ok, reason } = JSON.parse(answer); if (!ok) fail(reason); } catch { fail('the gateway gave no proper answer'); }
});
process.stdin.pipe(socket);
`;

/**
 * Hands the attachment, a line on stdin, to the gateway that runs, and starts one first if none does,
 * which then takes the line itself, and says when it can be connected to through a pipe. Prints `attached`,
 * or `started` and what the gateway said. Two hosts that do this at once start one gateway: the lock is a
 * directory, left behind by a host that died for five seconds at the most. A gateway that runs and does
 * not answer is ended first. The log is that of the last start.
 */
export const LAUNCH_SCRIPT = `
IFS= read -r line
[ -n "$line" ] || { echo 'nobody to attach' >&2; exit 1; }
attach=$1; cache=$2; node=$3; bundle=$4; admin=$5; pidfile=$6; log=$7; shift 7
attach() { [ -S "$admin" ] && printf '%s\\n' "$line" | "$node" -e "$attach" "$admin" 2>>"$log.attach"; }
attach && { echo attached; exit 0; }
n=0
until mkdir "$admin.lock" 2>/dev/null; do
  [ -d "\${admin%/*}" ] || { echo "there is no directory for $admin" >&2; exit 1; }
  n=$((n + 1)); [ $((n % 100)) -eq 0 ] && rmdir "$admin.lock" 2>/dev/null
  [ $n -gt 300 ] && { echo "$admin.lock is never free" >&2; exit 1; }
  sleep 0.05
  attach && { echo attached; exit 0; }
done
trap 'rmdir "$admin.lock" 2>/dev/null &' EXIT
[ $n -gt 0 ] && attach && { echo attached; exit 0; }
if read -r old 2>/dev/null <"$pidfile"; then
  grep -aqF "$bundle" "/proc/$old/cmdline" 2>/dev/null && kill -KILL "$old"
  rm -f "$admin"
fi
[ -z "$cache" ] || export NODE_COMPILE_CACHE="$cache"
ready=$(
  { printf '%s\\n' "$line" | { trap '' HUP; exec "$node" "$bundle" "$@" 2>"$log"; } & echo $! >"$pidfile"; } |
    { read -r first; printf %s "$first"; }
)
[ -n "$ready" ] && { printf 'started %s\\n' "$ready"; exit 0; }
read -r pid <"$pidfile"
kill $pid 2>/dev/null
tail -c 4000 "$log" >&2
[ -f "$log.attach" ] && tail -c 1000 "$log.attach" >&2
exit 1
`;

/** Ends the gateway, whatever its version. */
export const HALT_SCRIPT = `
read -r pid 2>/dev/null <"$1" || exit 0
kill $pid 2>/dev/null
n=0
while kill -0 $pid 2>/dev/null && [ $n -lt 100 ]; do
  n=$((n + 1)); [ $n -eq 80 ] && kill -KILL $pid
  sleep 0.1
done
rm -f "$1"
`;
