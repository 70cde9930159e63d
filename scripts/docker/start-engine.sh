#!/usr/bin/env bash
# Starts a Docker Engine on a Debian machine where none answers, and prints its process id; prints
# nothing where one is there already. Installs it first where it is missing. Needs root.
set -euo pipefail

socket=/var/run/docker.sock
log=${TMPDIR:-/tmp}/agent-workspace-dockerd.log

# A client on the PATH says nothing about an engine: the socket does.
answers() { curl --silent --fail --max-time 2 --unix-socket "$socket" http://localhost/_ping >/dev/null 2>&1; }

missing=()
command -v dockerd >/dev/null || missing+=(docker.io)
command -v debootstrap >/dev/null || missing+=(debootstrap)
if [ ${#missing[@]} -gt 0 ]; then
  {
    apt-get update
    # With this run level the package does not start the daemon by an init that may not be there.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install --yes --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    exit 1
  }
fi

answers && exit 0

setsid dockerd >"$log" 2>&1 </dev/null &
pid=$!
for _ in $(seq 300); do
  if answers; then
    echo "$pid"
    exit 0
  fi
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
tail -n 30 "$log" >&2
kill "$pid" 2>/dev/null || true
echo "start-engine.sh: dockerd does not answer at $socket; its log is $log" >&2
exit 1
