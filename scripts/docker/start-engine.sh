#!/usr/bin/env bash
# Starts a Docker Engine on a Debian machine where none answers, and prints its process id; prints
# nothing where one is there already. Installs it first where it is missing. Needs root.
set -euo pipefail

log=${TMPDIR:-/tmp}/agent-workspace-dockerd.log

# A client on the PATH says nothing about an engine: only its answer does.
answers() { timeout 5 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# A bridge that was given no address has one of its containers', and another one when that container goes:
# the others then send their answers to where nobody is, for up to a minute. The engine gives an address to
# the bridges that it makes, and takes one that is there already as it is.
steady_bridge() {
  local bridge=/sys/class/net/docker0 given=3
  [ -e "$bridge" ] && [ "$(cat "$bridge/addr_assign_type")" != "$given" ] || return 0
  ip link set docker0 address "02:42$(od -An -N4 -tx1 /dev/urandom | tr ' ' ':')" ||
    echo "start-engine.sh: docker0 has no address of its own, and could not be given one" >&2
}

if answers; then
  steady_bridge
  exit 0
fi

if ! { command -v docker && command -v dockerd; } >/dev/null; then
  {
    apt-get update
    # With this run level the package does not start the daemon by an init that may not be there.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install --yes --no-install-recommends docker.io
  } >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    echo "start-engine.sh: could not install Debian's docker.io; the log is $log" >&2
    exit 1
  }
fi

setsid dockerd >"$log" 2>&1 </dev/null &
pid=$!
for _ in $(seq 300); do
  if answers; then
    steady_bridge
    echo "$pid"
    exit 0
  fi
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
tail -n 30 "$log" >&2
kill "$pid" 2>/dev/null || true
echo "start-engine.sh: dockerd does not answer; its log is $log" >&2
exit 1
