/**
 * The container's own program: looks at what the image has, notes it, and lives until it is stopped. It runs while
 * the cluster is still telling that the container has started, and so costs nobody any time.
 *
 * Arguments: our directory, and the one where an image has our things.
 */
export const SETUP_SCRIPT = `
own=$1; baked=$2
mkdir -p "$own/files" && chmod 700 "$own" || exit 1
node="$baked/node/bin/node"
[ -x "$node" ] || node=$(command -v node)
[ -z "$node" ] || ln -sfn "$node" "$own/node"
[ ! -d "$baked/cache" ] || ln -sfn "$baked/cache" "$own/cache"
address=
read -r self </proc/sys/kernel/hostname
while read -r ip name _; do [ "$name" != "$self" ] || address=\${address:-$ip}; done </etc/hosts
{
  echo "machine=$(uname -m)"
  echo "node=$("$own/node" --version 2>/dev/null)"
  for name in gateway.cjs rg; do
    [ ! -f "$baked/gateway/$name" ] || echo "$name=$(sha256sum "$baked/gateway/$name" 2>/dev/null)"
  done
  echo "address=$address"
  [ -w "$PWD" ] || { owner=$(stat -c %u:%g "$PWD"); echo "owner=\${owner:-unknown}"; }
} >"$own/facts.new"
mv "$own/facts.new" "$own/facts"
exec sleep 2147483647
`;

/** Begins the line that {@link PREPARE_SCRIPT} prints first. */
export const FACTS_MARK = 'agent-workspace-facts';

/** How {@link PREPARE_SCRIPT} ends where the gateway cannot run, and the command was not run. */
const UNSUITABLE = 93;

/** Gives programs a home where the image has none for this user. */
const FIND_HOME = `[ -w "\${HOME:-/nowhere}" ] && [ "$HOME" != / ] || { HOME=$own/home; mkdir -p "$HOME"; export HOME; }`;

/** Runs a command as the gateway is to run. Arguments: our directory, and the command. */
export const ENTER_SCRIPT: string = `
own=$1; shift
${FIND_HOME}
exec "$@"
`;

/**
 * Tells how many processes the kernel has killed since the container had no memory left, by whichever version of
 * control groups it has.
 */
const COUNT_OOM_KILLS: string = `
oom=$(cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n 's/^oom_kill //p')
`;

/** Prints that number. */
export const OOM_SCRIPT: string = `${COUNT_OOM_KILLS}
echo "\${oom:-0}"
`;

/** Begins the line by which {@link PREPARE_SCRIPT} asks for a file. */
export const SEND_MARK = 'agent-workspace-send';

/**
 * Takes so many bytes from stdin, whose end need not come, and puts them in their place once their hash is the right
 * one. Arguments: the path, the length, the hash, the mode.
 */
const RECEIVE = `
receive() {
  mkdir -p "\${1%/*}" && head -c "$2" >"$1.$$" || exit 1
  found=$(sha256sum "$1.$$")
  found=\${found%% *}
  [ "$found" = "$3" ] && chmod "$4" "$1.$$" && mv -f "$1.$$" "$1" && return
  rm -f "$1.$$"
  echo "what came has the hash $found, and not $3" >&2
  exit 1
}
`;

/**
 * Points our links at the files of the wanted versions: those of the image where their hash is the right one, else
 * those that were put there. What is missing is asked for, and comes by stdin; the command runs as soon as the program
 * is there, while `rg` may still come. So all is one exec.
 *
 * Arguments: our directory, the image's, of the program and of `rg` for x86_64 and for aarch64 the hash and the length
 * each, the command. On stdin comes one line for the command, then each file once it was asked for: `head` may take
 * more than it was told to.
 *
 * It prints the mark, the processor, the version of node, the Pod's address, what is missing, whose the directory is
 * where this user may not write to it, and how many processes were killed for their memory; then a line for each file
 * that it waits for; then what the command does.
 */
export const PREPARE_SCRIPT: string = `
own=$1; baked=$2; program=$3; program_bytes=$4; shift 4
rg_x64=$1; rg_x64_bytes=$2; rg_arm64=$3; rg_arm64_bytes=$4; shift 4
${RECEIVE}
n=0
until [ -f "$own/facts" ]; do
  n=$((n + 1)); [ $n -le 1200 ] || { echo 'the container has not set itself up' >&2; exit 1; }
  sleep 0.025
done
machine=; node=; address=; owner=; baked_program=; baked_rg=
while IFS='=' read -r key value; do
  case $key in
    machine) machine=$value ;;
    node) node=$value ;;
    address) address=$value ;;
    owner) owner=$value ;;
    gateway.cjs) baked_program=\${value%% *} ;;
    rg) baked_rg=\${value%% *} ;;
  esac
done <"$own/facts"
case $machine in
  x86_64) rg=$rg_x64; rg_bytes=$rg_x64_bytes ;;
  aarch64 | arm64) rg=$rg_arm64; rg_bytes=$rg_arm64_bytes ;;
  *) rg= ;;
esac
missing=
place() {
  if [ "$2" = "$3" ]; then target=$baked/gateway/$1
  elif [ -f "$own/files/$2-$1" ]; then target=$own/files/$2-$1
  else missing="$missing,$1"; return 1; fi
  [ "$(readlink "$own/$1")" = "$target" ] || { ln -sfn "$target" "$own/$1.$$" && mv -f "$own/$1.$$" "$own/$1"; }
}
fetch() {
  echo "${SEND_MARK} $1"
  receive "$own/files/$2-$1" "$3" "$2" "$4" && place "$1" "$2" -
}
place gateway.cjs "$program" "$baked_program"; has_program=$?
[ -z "$rg" ] || place rg "$rg" "$baked_rg"; has_rg=$?
${COUNT_OOM_KILLS}
echo "${FACTS_MARK} \${machine:--} \${node:--} \${address:--} \${missing:--} \${owner:--} \${oom:-0}"
IFS= read -r line
[ -z "$owner" ] && [ -n "$node" ] || exit ${UNSUITABLE}
${FIND_HOME}
[ $has_program = 0 ] || fetch gateway.cjs "$program" "$program_bytes" 644
[ $has_rg = 0 ] && { printf '%s\\n' "$line" | "$@"; exit; }
echo "${SEND_MARK} rg"
exec 3<&0
{ printf '%s\\n' "$line" | "$@"; } 3<&- &
receive "$own/files/$rg-rg" "$rg_bytes" "$rg" 755 <&3 && place rg "$rg" -
wait $!
`;

/** Puts a file into its place. Arguments: the path, the length, the hash, the mode. */
export const PUT_SCRIPT: string = `
${RECEIVE}
receive "$@"
`;
