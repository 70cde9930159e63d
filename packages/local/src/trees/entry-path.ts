import { PathInvalidError } from '@agent-workspace/core';

/** The parts of an entry's path. @throws `path-invalid` unless it leads to something below the tree's directory */
export function entryParts(path: string): readonly string[] {
  const refuse = (reason: string): never => {
    throw new PathInvalidError({ path, reason });
  };
  if (path === '') refuse('it is empty');
  if (path.includes('\0')) refuse('it has a NUL byte');
  if (!path.isWellFormed()) refuse('it has half a surrogate pair');
  if (path.startsWith('/')) refuse('an entry of a tree is relative');
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    refuse('an entry of a tree has no empty part, no "." and no ".."');
  }
  return parts;
}

/**
 * Whether a link in the tree stays in it, whatever the links are that its target passes: it may go
 * up as far as the tree's directory first, and then only down.
 */
export function staysInside(linkParts: readonly string[], target: string): boolean {
  if (target === '' || target.includes('\0') || target.startsWith('/')) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const firstDown = parts.findIndex((part) => part !== '..');
  const ups = firstDown === -1 ? parts.length : firstDown;
  return ups < linkParts.length && !parts.slice(ups).includes('..');
}
