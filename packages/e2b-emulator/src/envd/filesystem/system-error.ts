import { getSystemErrorMap } from 'node:util';

/** The code of an error of the system, such as `ENOENT`; else `undefined`. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Nothing is there, neither as a file nor as a link. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** What went wrong, as Go says it: `lstat /a: no such file or directory`. */
export function describeError(error: unknown, call: string, path: string): string {
  if (!(error instanceof Error)) return String(error);
  // Only the system's own errors have numbers of the system.
  const errno = 'syscall' in error && 'errno' in error ? Number(error.errno) : Number.NaN;
  const text = getSystemErrorMap().get(errno)?.[1];
  return text === undefined ? error.message : `${call} ${path}: ${text}`;
}
