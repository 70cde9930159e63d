/** Process groups of servers that have not been ended. */
const groups = new Set<number>();

function killAll(): void {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended, or is not ours to end; this process is past telling anybody.
    }
  }
}

/**
 * Sees to it that a process group does not outlive this process, which may exit without closing its
 * clients.
 *
 * @returns what calls it off, once the group has ended
 */
export function killOnExit(group: number): () => void {
  if (groups.size === 0) process.once('exit', killAll);
  groups.add(group);
  return () => {
    groups.delete(group);
    if (groups.size === 0) process.removeListener('exit', killAll);
  };
}
