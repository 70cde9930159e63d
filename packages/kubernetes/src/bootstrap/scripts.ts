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

/** How {@link PREPARE_SCRIPT} ends where something is missing, and the command was not run. */
const INCOMPLETE = 93;

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

/**
 * Points our links at the files of the wanted versions: those of the image where their hash is the right one, else
 * those that were put there. Where all is there it goes on with the command, all in one exec.
 *
 * Arguments: our directory, the image's, the hashes of the program, of `rg` for x86_64 and for aarch64, the command.
 * It prints the mark, the processor, the version of node, the Pod's address, what is missing, whose the directory is
 * where this user may not write to it, and how many processes were killed for their memory.
 */
export const PREPARE_SCRIPT: string = `
own=$1; baked=$2; program=$3; rg_x64=$4; rg_arm64=$5; shift 5
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
case $machine in x86_64) rg=$rg_x64 ;; aarch64 | arm64) rg=$rg_arm64 ;; *) rg= ;; esac
missing=
place() {
  if [ "$2" = "$3" ]; then target=$baked/gateway/$1
  elif [ -f "$own/files/$2-$1" ]; then target=$own/files/$2-$1
  else missing="$missing,$1"; return; fi
  [ "$(readlink "$own/$1")" = "$target" ] || { ln -sfn "$target" "$own/$1.$$" && mv -f "$own/$1.$$" "$own/$1"; }
}
place gateway.cjs "$program" "$baked_program"
[ -z "$rg" ] || place rg "$rg" "$baked_rg"
${COUNT_OOM_KILLS}
echo "${FACTS_MARK} \${machine:--} \${node:--} \${address:--} \${missing:--} \${owner:--} \${oom:-0}"
[ -z "$missing$owner" ] && [ -n "$node" ] || { read -r _; exit ${INCOMPLETE}; }
${FIND_HOME}
exec "$@"
`;

/**
 * Takes a file from stdin, whose end need not come, and puts it in its place once its hash is the right one.
 *
 * Arguments: our node, the path, the length, the hash, the mode.
 */
export const PUT_SCRIPT = `
node=$1; path=$2; bytes=$3; hash=$4; mode=$5
mkdir -p "\${path%/*}" && head -c "$bytes" >"$path.$$" || exit 1
check='process.stdout.write(require("node:crypto").createHash("sha256").update(require("node:fs").readFileSync(process.argv[1])).digest("hex"))'
found=$("$node" -e "$check" "$path.$$")
if [ "$found" = "$hash" ] && chmod "$mode" "$path.$$" && mv -f "$path.$$" "$path"; then exit 0; fi
rm -f "$path.$$"
echo "what came has the hash $found, and not $hash" >&2
exit 1
`;
