/**
 * Runs in the command's own process, before the command takes its place: writes the record, tells
 * the starter, and becomes the command. So there is no command without a record, and the process
 * that is on record is the command itself.
 *
 * Arguments: base path of the record's files, pid of the runner, PATH of the command, the command.
 */
export const LEADER_SCRIPT: string = `
aw_base=$1 aw_runner=$2 aw_path=$3
shift 3

# Sets group and start: process group and start time of process $1.
identify() {
  if [ -r "/proc/$1/stat" ]; then
    read -r aw_fields <"/proc/$1/stat"
    # What follows the program's name, which is in parentheses and may hold anything.
    set -- \${aw_fields##*) }
    aw_group=$3 aw_start=\${20}
  else
    aw_group=$(ps -o pgid= -p "$1")
    aw_group=$((aw_group))
    aw_start=$(LC_ALL=C TZ=UTC ps -o lstart= -p "$1")
    aw_start=$(echo $aw_start)
  fi
}

identify "$aw_runner"
aw_runner_start=$aw_start
identify "$$"
if [ "$aw_group" != "$$" ]; then
  echo 'This system has neither setsid nor job control for a process group of its own.'
  exit 126
fi
printf '"pid":%s,"processGroup":%s,"startTime":"%s","runnerPid":%s,"runnerStartTime":"%s"}\\n' \\
  "$$" "$aw_group" "$aw_start" "$aw_runner" "$aw_runner_start" >>"$aw_base.new" || exit 126
mv -f "$aw_base.new" "$aw_base.json" || exit 126
# In a subshell, which is all that dies if the starter is gone and nobody reads it.
(echo started)
PATH=$aw_path
exec "$@" >>"$aw_base.log" 2>&1
`;

/**
 * Starts the command, keeps its time limit, and writes how it ended. It needs nobody, and it is in a
 * session of its own, where what ends the command's group does not reach it.
 *
 * Every variable is `aw_…`, since one that the command's environment has, too, would change there.
 *
 * Arguments: base path of the record's files, seconds until the command is ended (empty: never),
 * the leader's script, the command. Its standard output says `started`, or what is wrong.
 *
 * It keeps to what dash, busybox and bash agree on: their `kill` takes `-TERM -GROUP`, and not all
 * of them take `--` after a signal.
 */
export const RUNNER_SCRIPT: string = `
aw_base=$1 aw_timeout=$2 aw_leader=$3
shift 3
aw_path=$PATH
PATH=$PATH:/usr/bin:/bin

# A shell reports a child that a signal killed. In POSIX mode bash does not.
if (set +o posix) 2>/dev/null; then set +o posix; fi
exec 2>"$aw_base.ending"

# Its own cause of the end comes first only if no other is there.
watch() {
  trap 'kill "$!"; exit' TERM
  sleep "$aw_timeout" &
  wait "$!"
  trap - TERM
  while [ ! -e "$aw_base.json" ]; do sleep 0.1; done
  aw_group=$(sed -n 's/.*,"processGroup":\\([0-9]*\\),.*/\\1/p' "$aw_base.json")
  [ "\${aw_group:-0}" -gt 1 ] || exit
  (set -C; echo timed-out >"$aw_base.cause")
  kill -TERM "-$aw_group"
  for aw_pause in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.1
    kill -0 "-$aw_group" || exit
  done
  kill -KILL "-$aw_group"
}
aw_watcher=
if [ -n "$aw_timeout" ]; then
  watch >/dev/null 2>&1 &
  aw_watcher=$!
fi

# In the foreground where it can be: a shell has its background children ignore SIGINT and SIGQUIT.
if command -v setsid >/dev/null; then
  setsid /bin/sh -c "$aw_leader" sh "$aw_base" "$$" "$aw_path" "$@"
  aw_code=$?
else
  set -m
  /bin/sh -c "$aw_leader" sh "$aw_base" "$$" "$aw_path" "$@" &
  set +m
  wait "$!"
  aw_code=$?
fi

# 128 + n is a signal, or an exit status that looks like one. No shell reports SIGINT and SIGPIPE, and bash no SIGTERM.
aw_is_signal=
case $aw_code in
  130 | 141 | 143) aw_is_signal=yes ;;
  *) if [ "$aw_code" -gt 128 ] && [ -s "$aw_base.ending" ]; then aw_is_signal=yes; fi ;;
esac

aw_cause=
if [ -e "$aw_base.cause" ]; then read -r aw_cause <"$aw_base.cause"; fi
if [ "$aw_cause" != timed-out ] && [ -n "$aw_watcher" ]; then kill "$aw_watcher"; fi
if [ -n "$aw_watcher" ]; then wait "$aw_watcher"; fi
case $aw_cause in
  timed-out | closed) aw_end=$aw_cause ;;
  *) if [ -n "$aw_is_signal" ]; then aw_end="signaled SIG$(kill -l "$((aw_code - 128))")"; else aw_end="exited $aw_code"; fi ;;
esac
echo "$aw_end" >"$aw_base.ending"
exec 2>/dev/null
rm -f "$aw_base.cause"
mv -f "$aw_base.ending" "$aw_base.status"
`;
