/** A shell's word that stands for exactly this text. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The line by which E2B's shell runs a program as it is, and becomes it.
 *
 * @param path what comes before the shell's own PATH, and what after it
 */
export function shellLine(
  argv: readonly string[],
  path: { readonly before: readonly string[]; readonly after: readonly string[] },
): string {
  const before = path.before.map((directory) => `${quote(directory)}:`).join('');
  const after = path.after.map((directory) => `:${quote(directory)}`).join('');
  return `PATH=${before}"$PATH"${after} exec ${argv.map(quote).join(' ')}`;
}
