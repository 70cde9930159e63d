import { BOOT_ID, INIT_SCRIPT, INSIDE } from './inside.ts';

/**
 * What of this machine's disk a sandbox does not see: where people keep what is theirs, and what the
 * machine is doing now.
 */
const EMPTIED = '/tmp /home /root /run';

/**
 * Makes the disk of a sandbox in the namespaces that it is run in, by a shell, and becomes the sandbox's
 * first process: an overlay of this machine's own disk, written to memory, with a `/proc`, `/sys` and
 * `/dev` of its own. All of it is gone with the namespaces' last process.
 *
 * Arguments: the sandbox's directory on this machine, Node, the programs, and a real envd or nothing.
 */
export const NAMESPACE_SCRIPT: string = `
set -eu
directory=$1 node=$2 programs=$3 envd=$4
ip link set lo up
hostname e2b.local
disk=$directory/disk
mkdir -p "$disk"
mount -t tmpfs -o mode=755 e2b-emulator "$disk"
mkdir "$disk/upper" "$disk/work" "$disk/root"
for path in ${EMPTIED}; do
  if [ -d "$path" ]; then mknod "$disk/upper$path" c 0 0; fi
done
mount -t overlay -o "lowerdir=/,upperdir=$disk/upper,workdir=$disk/work" e2b-emulator "$disk/root"
cd "$disk/root"
for path in ${EMPTIED}; do mkdir -p ".$path"; done
chmod 1777 ./tmp
chmod 700 ./root
mkdir -p ./proc ./sys ./dev .${INSIDE.programs} .${INSIDE.shared}
mount -t proc proc ./proc
mount -t sysfs -o ro sysfs ./sys
mount -t tmpfs -o mode=755 dev ./dev
for name in null zero full random urandom tty; do
  touch "./dev/$name"
  mount --bind "/dev/$name" "./dev/$name"
done
mkdir ./dev/pts ./dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts ./dev/pts
mount -t tmpfs -o mode=1777 shm ./dev/shm
ln -s pts/ptmx ./dev/ptmx
ln -s /proc/self/fd ./dev/fd
ln -s /proc/self/fd/0 ./dev/stdin
ln -s /proc/self/fd/1 ./dev/stdout
ln -s /proc/self/fd/2 ./dev/stderr
touch .${INSIDE.node}
mount --bind -o ro "$node" .${INSIDE.node}
mount --bind -o ro "$programs" .${INSIDE.programs}
mount --bind "$directory/shared" .${INSIDE.shared}
if [ -n "$envd" ]; then
  touch .${INSIDE.envd}
  mount --bind -o ro "$envd" .${INSIDE.envd}
fi
cat ./proc/sys/kernel/random/uuid > "$directory/shared/${BOOT_ID}"
mount --bind "$directory/shared/${BOOT_ID}" ./proc/sys/kernel/random/boot_id
mkdir ./run/host
pivot_root . ./run/host
umount -l /run/host
rmdir /run/host
exec /bin/bash ${INSIDE.shared}/${INIT_SCRIPT}
`;
