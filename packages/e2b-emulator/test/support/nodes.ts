import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The oldest that the programs are made for, and that the SDK runs on. */
const OLDEST = 20;

function majorOf(node: string): number {
  return Number(/^v(\d+)/.exec(String(execFileSync(node, ['--version'])))?.[1]);
}

/** A Node 20 of this machine, if there is one. */
function oldestNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'node'));
  return candidates.find((node) => existsSync(node) && majorOf(node) === OLDEST);
}

/** The runtimes to test on: the one of this checkout and, where it is installed, Node 20. */
export const NODES: readonly { readonly name: string; readonly node: string }[] = [
  { name: `Node ${process.versions.node.split('.')[0]}`, node: process.execPath },
  ...[oldestNode()].flatMap((node) => (node === undefined ? [] : [{ name: `Node ${OLDEST}`, node }])),
];
