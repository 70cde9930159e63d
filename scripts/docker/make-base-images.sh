#!/usr/bin/env bash
# Makes the images that Docker tests stand on, for a machine that reaches a Debian mirror and npm but no
# registry of images: python:3.12-slim and node:24-slim, Debian's own minimum with what these two have in
# the real ones. Images of these names from elsewhere are left alone. Their file systems are kept in
# ${XDG_CACHE_HOME:-~/.cache}/agent-workspace, so that a second machine image or run takes seconds.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$script")/../.."

python_image=python:3.12-slim
node_image=node:24-slim
node_binary=$PWD/node_modules/node/bin/node
npm_version=11
suite=bookworm
label=agent-workspace.base-image

# What this machine trusts beside Debian's authorities, such as those of its network's proxy.
authorities=/usr/local/share/ca-certificates

# Another recipe makes other images.
recipe=$({
  cat "$script"
  "$node_binary" --version
  find "$authorities" -name '*.crt' -exec cat {} + 2>/dev/null || true
} | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/agent-workspace
mkdir -p "$cache"

# is_there IMAGE: whether it is what this recipe makes, or comes from elsewhere.
is_there() {
  local made_by
  made_by=$(docker image inspect --format "{{with .Config.Labels}}{{index . \"$label\"}}{{end}}" "$1" 2>/dev/null) || return 1
  [ -z "$made_by" ] || [ "$made_by" = "$recipe" ]
}

if is_there "$python_image" && is_there "$node_image"; then
  exit 0
fi

command -v debootstrap >/dev/null || {
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends debootstrap
} >"$cache/install.log" 2>&1 || {
  tail -n 30 "$cache/install.log" >&2
  echo 'make-base-images.sh: could not install debootstrap by apt-get.' >&2
  exit 1
}

scratch=$(mktemp -d "$cache/making-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# pack DIRECTORY ARCHIVE: under a name of its own until it is whole.
pack() {
  tar --create --numeric-owner --one-file-system --directory "$1" \
    --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' --exclude='./var/log/*' \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' \
    --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' . >"$2.$$"
  mv "$2.$$" "$2"
}

make_file_systems() {
  local root=$scratch/root mirror
  # The mirror that apt uses here; where there is none, debootstrap has a default.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" 'Component: main' 2>/dev/null | head -n 1 || true)
  debootstrap --variant=minbase --include=ca-certificates,netbase,tzdata "$suite" "$root" ${mirror:+"$mirror"}
  if [ -d "$authorities" ]; then
    find "$authorities" -name '*.crt' -exec cp {} "$root$authorities" \;
    chroot "$root" update-ca-certificates
  fi

  mkdir -p "$root/usr/local/lib/node_modules/npm"
  (cd "$scratch" && npm pack --silent "npm@$npm_version" >npm-archive)
  tar --extract --gzip --no-same-owner --strip-components=1 --file "$scratch/$(cat "$scratch/npm-archive")" \
    --directory "$root/usr/local/lib/node_modules/npm"
  install -m 0755 "$node_binary" "$root/usr/local/bin/node"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  pack "$root" "$cache/node-$recipe.tar"

  rm -rf "$root"/usr/local/lib/node_modules "$root"/usr/local/bin/*
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install --yes --no-install-recommends python3 python3-venv python3-pip
  pack "$root" "$cache/python-$recipe.tar"
}

if [ ! -e "$cache/node-$recipe.tar" ] || [ ! -e "$cache/python-$recipe.tar" ]; then
  make_file_systems >"$scratch/log" 2>&1 || {
    tail -n 30 "$scratch/log" >&2
    echo 'make-base-images.sh: could not make the file systems; it needs root, debootstrap and a Debian mirror.' >&2
    exit 1
  }
  find "$cache" -maxdepth 1 -name '*.tar' ! -name "*-$recipe.tar" -delete
fi

bundle=/etc/ssl/certs/ca-certificates.crt
# import_image ARCHIVE IMAGE COMMAND
import_image() {
  is_there "$2" || docker import \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    --change "ENV NODE_EXTRA_CA_CERTS=$bundle PIP_CERT=$bundle" \
    --change "LABEL $label=$recipe" --change "CMD [\"$3\"]" "$1" "$2" >/dev/null
}
import_image "$cache/node-$recipe.tar" "$node_image" node
import_image "$cache/python-$recipe.tar" "$python_image" python3
