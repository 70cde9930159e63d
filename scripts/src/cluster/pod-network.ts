import { readdir, readFile } from 'node:fs/promises';
import { type ClusterAddresses, POD_NETWORK_BITS } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { runMarked } from './marked-processes.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Whether the kernel asks the firewall about what goes over a bridge. It does where a container engine
 * made it, and that engine's rule for what it does not know is to drop it.
 */
export async function isBridgeFiltered(): Promise<boolean> {
  try {
    return (await readFile('/proc/sys/net/bridge/bridge-nf-call-iptables', 'utf8')).trim() === '1';
  } catch {
    return false;
  }
}

/** The rule that lets the Pods of a cluster reach each other. */
function forwardRule({ name }: ClusterFolder): readonly string[] {
  return ['FORWARD', '-i', name, '-o', name, '-m', 'comment', '--comment', 'agent-workspace cluster', '-j', 'ACCEPT'];
}

export interface PodNetworkOptions {
  readonly addresses: ClusterAddresses;
  readonly needsForwardRule: boolean;
}

/** Makes the bridge of the Pods, with the host's address on it. */
export async function createPodNetwork(folder: ClusterFolder, options: PodNetworkOptions): Promise<void> {
  const address = `${options.addresses.gateway}/${POD_NETWORK_BITS}`;
  await runMarked(folder, ['ip', 'link', 'add', folder.name, 'type', 'bridge']);
  await runMarked(folder, ['ip', 'address', 'add', address, 'dev', folder.name]);
  await runMarked(folder, ['ip', 'link', 'set', folder.name, 'up']);
  if (options.needsForwardRule) await runMarked(folder, ['iptables', '--wait', '-I', ...forwardRule(folder)]);
}

/** Undoes it, as far as it came. The Pods must be gone. */
export async function removePodNetwork(
  folder: ClusterFolder,
  { needsForwardRule }: Pick<PodNetworkOptions, 'needsForwardRule'>,
): Promise<void> {
  if (needsForwardRule && (await hasForwardRule(folder)))
    await runMarked(folder, ['iptables', '--wait', '-D', ...forwardRule(folder)]);
  const interfaces = '/sys/class/net';
  if (!(await readdir(interfaces)).includes(folder.name)) return;
  // The kernel removes the links of a Pod some time after its last process has ended.
  await waitUntil('the Pods have left their network', 10_000, async () => {
    return (await readdir(`${interfaces}/${folder.name}/brif`)).length === 0;
  });
  await runMarked(folder, ['ip', 'link', 'delete', folder.name]);
}

async function hasForwardRule(folder: ClusterFolder): Promise<boolean> {
  const { stdout } = await runMarked(folder, ['iptables', '--wait', '-S', 'FORWARD']);
  return stdout.split('\n').some((rule) => rule.includes(`-i ${folder.name} -o ${folder.name} `));
}
