import { readFileSync, readlinkSync } from 'node:fs';

let machine: string | undefined | null = null;

/**
 * Names what a pid with its start time is unique in: this boot of this system, and the namespace of
 * pids. `undefined` where the system does not tell.
 */
export function machineId(): string | undefined {
  if (machine !== null) return machine;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
    machine = `${boot}:${namespace}`;
  } catch {
    machine = undefined;
  }
  return machine;
}
