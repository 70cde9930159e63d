import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DockerRoots } from './docker-root.ts';
import { findHierarchy } from './freezer.ts';
import { NamespaceRoots } from './namespace-root.ts';
import { ProcessRoots } from './process-root.ts';
import type { RootContext, RootProvider } from './root-provider.ts';
import type { Isolation } from './sandbox-root.ts';

/** Programs that namespaces are made with. */
const NAMESPACE_PROGRAMS: readonly string[] = ['unshare', 'mount', 'umount', 'pivot_root', 'ip', 'hostname', 'bash'];

export interface ChosenRoots {
  readonly roots: RootProvider;
  /** One sentence. */
  readonly why: string;
}

/**
 * Finds the best kind of roots that this machine allows, or the one that is asked for.
 *
 * @throws {Error} if the one that is asked for cannot be had
 */
export async function chooseRoots(isolation: Isolation | 'auto', context: RootContext): Promise<ChosenRoots> {
  if (isolation === 'process') return { roots: new ProcessRoots(context), why: 'it was asked for.' };
  const obstacles: string[] = [];
  if (isolation !== 'namespaces') {
    const roots = new DockerRoots(context);
    const obstacle = await roots.findObstacle();
    if (obstacle === undefined)
      return { roots, why: isolation === 'auto' ? 'an engine is there.' : 'it was asked for.' };
    if (isolation === 'docker') throw new Error(`Sandboxes cannot be Docker containers here: ${obstacle}`);
    obstacles.push(`no Docker containers, since ${withoutStop(obstacle)}`);
  }
  const obstacle = await findNamespaceObstacle();
  if (obstacle === undefined) {
    const why = isolation === 'auto' ? 'the kernel allows them.' : 'it was asked for.';
    return { roots: new NamespaceRoots(context), why: [...obstacles, why].join('; ') };
  }
  if (isolation === 'namespaces') throw new Error(`Sandboxes cannot have namespaces here: ${obstacle}`);
  obstacles.push(`no namespaces, since ${withoutStop(obstacle)}`);
  return { roots: new ProcessRoots(context), why: `${obstacles.join('; ')}.` };
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

async function findNamespaceObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'that is a feature of Linux.';
  if (process.getuid?.() !== 0) return 'only root may make them here.';
  const path = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`.split(delimiter);
  for (const program of NAMESPACE_PROGRAMS) {
    const found = await Promise.all(path.map((directory) => isThere(join(directory, program), constants.X_OK)));
    if (!found.includes(true)) return `the program ${program} is not there.`;
  }
  const hierarchy = await findHierarchy();
  if (hierarchy === undefined) return 'no control groups of version 2 are mounted.';
  if (!(await isThere(hierarchy, constants.W_OK))) return `${hierarchy} cannot be written to.`;
  return undefined;
}

async function isThere(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}
