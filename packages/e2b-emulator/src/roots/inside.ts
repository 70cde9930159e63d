import { ENVD_PROGRAM, FILE_ATTRIBUTES_PROGRAM, RELAY_PROGRAM } from '../program-files.ts';
import { ENVD_PORT } from './call-envd.ts';

/** Paths in a root of its own at which it finds what is the emulator's. */
interface InsidePaths {
  readonly node: string;
  /** A real envd, if there is one. */
  readonly envd: string;
  readonly programs: string;
  /** Shared with the emulator; holds the relay's socket. */
  readonly shared: string;
}

const BASE = '/usr/local/lib/e2b-emulator';

export const INSIDE: InsidePaths = {
  node: `${BASE}/node`,
  envd: `${BASE}/envd`,
  programs: `${BASE}/programs`,
  shared: `${BASE}/shared`,
};

/** In the shared directory. */
export const RELAY_SOCKET = 'relay.sock';

/** Likewise: what the first process runs. */
export const INIT_SCRIPT = 'init.sh';

/** In the shared directory, and mounted over the kernel's: a sandbox that boots anew has another. */
export const BOOT_ID = 'boot_id';

/** What the first process says when all others have ended. */
export const STOPPED = 'e2b-emulator:stopped';

const RELAY_VARIABLE = `E2B_EMULATOR_RELAY=${INSIDE.shared}/${RELAY_SOCKET}`;

/** With the relay in its own process. */
const builtInEnvd = `${RELAY_VARIABLE} exec ${INSIDE.node} --require ${INSIDE.programs}/${RELAY_PROGRAM} \\
    ${INSIDE.programs}/${ENVD_PROGRAM} --port ${ENVD_PORT} --host 127.0.0.1 >/dev/null`;

const realEnvd = `${RELAY_VARIABLE} ${INSIDE.node} ${INSIDE.programs}/${RELAY_PROGRAM} &
  exec ${INSIDE.envd} -isnotfc -no-cgroups -port ${ENVD_PORT} >&2`;

/**
 * The first process of a root, in bash, which reaps what others leave behind. It makes the users that a
 * template of E2B has, then does what its stdin says, a word a line, and ends with it: so a sandbox never
 * outlives its emulator. As a root's first process it takes all others with it.
 *
 * `boot` starts envd; `stop` ends everything else and says when that is done.
 */
export function initScript(envdPath: string | undefined): string {
  return `
set -u
cd /
if ! grep -q '^user:' /etc/passwd; then
  # The first line of an id gives it its name, also where an image has named the id before.
  for file in passwd:user:x:1000:1000::/home/user:/bin/bash group:user:x:1000:; do
    path=/etc/\${file%%:*}
    lines=$(printf '%s\\n' "\${file#*:}"; cat "$path")
    printf '%s\\n' "$lines" > "$path"
  done
  mkdir -p /home/user
  [ -d /etc/skel ] && cp -r /etc/skel/. /home/user/
  chown -R 1000:1000 /home/user
  [ -d /etc/sudoers.d ] && printf 'user ALL=(ALL:ALL) NOPASSWD: ALL\\n' > /etc/sudoers.d/e2b-emulator
fi
# A template of E2B has Python under both names, and the commands for the attributes that envd keeps metadata in.
command -v python >/dev/null || ! command -v python3 >/dev/null || ln -s "$(command -v python3)" /usr/local/bin/python
for tool in setfattr getfattr; do
  command -v $tool >/dev/null && continue
  printf '#!/bin/sh\\nexec %s %s %s "$@"\\n' ${INSIDE.node} ${INSIDE.programs}/${FILE_ATTRIBUTES_PROGRAM} $tool > /usr/local/bin/$tool
  chmod 755 /usr/local/bin/$tool
done
boot() {
  ${envdPath === undefined ? builtInEnvd : realEnvd}
}
while read -r word; do
  case $word in
    boot)
      rm -f ${INSIDE.shared}/${RELAY_SOCKET}
      # A child of a child is nobody's job: its end goes without a word.
      (boot </dev/null &)
      ;;
    stop)
      # They are done when nobody is there to be signalled.
      while kill -s KILL -- -1 2>/dev/null; do :; done
      cat /proc/sys/kernel/random/uuid > ${INSIDE.shared}/${BOOT_ID}
      echo ${STOPPED}
      ;;
  esac
done
`;
}
