#!/usr/bin/env bash
# Starts a Docker Engine on a Debian machine where none answers, and prints its process id; prints
# nothing where one is there already. Installs it first where it is missing. Needs root.
set -euo pipefail

log=${TMPDIR:-/tmp}/agent-workspace-dockerd.log

# A client on the PATH says nothing about an engine: only its answer does.
answers() { timeout 5 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }
answers && exit 0

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
