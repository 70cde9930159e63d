import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a kubelet sets at its start, and (the last one) what the network of the Pods needs. */
const CHANGED_BY_CLUSTER: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
  'net/ipv4/ip_forward': '1',
};

const pathOf = (name: string): string => join('/proc/sys', name);

async function readSysctl(name: string): Promise<string> {
  return (await readFile(pathOf(name), 'utf8')).trim();
}

/** The settings that a cluster will change, as they are now. */
export async function readSysctls(): Promise<Record<string, string>> {
  const names = Object.keys(CHANGED_BY_CLUSTER);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readSysctl(name)] as const)));
}

/** Puts settings back that are still as a cluster set them; what somebody else has set since stays. */
export async function restoreSysctls(before: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(before)) {
    const now = await readSysctl(name);
    if (now !== value && now === CHANGED_BY_CLUSTER[name]) await writeFile(pathOf(name), value);
  }
}
