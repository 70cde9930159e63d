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

/** Longer than a host waits for its launch: who still holds the lock then is waited for by nobody. */
const LOCK_S = 90;

/**
 * Hands the attachment, a line on stdin, to the gateway that runs, and starts one first if none does,
 * which then takes the line itself, and says when it can be connected to through a pipe. Prints `attached`,
 * or `started` and what the gateway said. A gateway that runs and does not answer is ended first. The log is
 * that of the last start.
 *
 * Two hosts that do this at once start one gateway: the lock is a link that tells who has it and since when.
 * However slow a gateway is to start, it is left alone as long as somebody waits for it; the lock of a script
 * that is gone, or whose host has given up on it, is taken away. A script that has got the lock attaches to what
 * was started since it looked, and where it fails it ends no gateway but its own.
 */
export const LAUNCH_SCRIPT: string = `
IFS= read -r line
[ -n "$line" ] || { echo 'nobody to attach' >&2; exit 1; }
attach=$1; cache=$2; node=$3; bundle=$4; admin=$5; pidfile=$6; log=$7; shift 7
attach() { [ -S "$admin" ] && printf '%s\\n' "$line" | "$node" -e "$attach" "$admin" 2>>"$log.attach"; }
look() { old=; read -r old 2>/dev/null <"$pidfile"; there=$old; [ -S "$admin" ] || there=none; }
look; before=$there
attach && { echo attached; exit 0; }
# By builtins, where that can be: each program that is started takes some of the time of a start.
now() { now=; read -r now _ 2>/dev/null </proc/uptime || now=$(date +%s); now=\${now%.*}; }
now; lock=$admin.lock; me=$$.$now
is_held() {
  case $1 in '' | *[!0-9.]* | *.*.* | .* | *.) return 1 ;; esac
  now; age=$((now - \${1#*.}))
  kill -0 "\${1%.*}" 2>/dev/null && [ $age -ge 0 ] && [ $age -lt ${LOCK_S} ]
}
take_away() {
  mv "$lock" "$lock.$$" 2>/dev/null || return
  [ "$(readlink "$lock.$$")" = "$1" ] || { mv "$lock.$$" "$lock"; return; }
  rm -f "$lock.$$"
}
n=0
until ln -s "$me" "$lock" 2>/dev/null; do
  [ -d "\${admin%/*}" ] || { echo "there is no directory for $admin" >&2; exit 1; }
  n=$((n + 1)); [ $n -gt 500 ] && { echo "$lock is never free" >&2; exit 1; }
  holder=$(readlink "$lock") && ! is_held "$holder" && take_away "$holder" && continue
  sleep 0.05
  attach && { echo attached; exit 0; }
done
trap '[ "$(readlink "$lock")" = "$me" ] && rm -f "$lock" &' EXIT
look; [ "$there" != "$before" ] && attach && { echo attached; exit 0; }
if [ -n "$old" ]; then
  grep -aqF "$bundle" "/proc/$old/cmdline" 2>/dev/null && kill -KILL "$old"
  rm -f "$admin"
fi
[ -z "$cache" ] || export NODE_COMPILE_CACHE="$cache"
self() {
  pid=; read -r pid _ 2>/dev/null </proc/self/stat || pid=$(exec sh -c 'echo $PPID')
  echo "$pid" >"$pidfile"; echo "$pid"
}
said=$(
  { printf '%s\\n' "$line" | { trap '' HUP; self; exec "$node" "$bundle" "$@" 2>"$log"; } & } |
    { read -r pid; read -r ready; printf '%s %s' "$pid" "$ready"; }
)
pid=\${said%% *}; ready=\${said#* }
[ -n "$ready" ] && { printf 'started %s\\n' "$ready"; exit 0; }
kill "$pid" 2>/dev/null
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
