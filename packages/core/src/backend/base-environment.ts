/** What a child process needs to find its programs, its home and its language, and nothing that is secret. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'TERM',
]);

/**
 * The part of an environment that every child process gets: `PATH HOME USER LOGNAME SHELL LANG
 * LC_* TZ TMPDIR TERM`, as far as they are set. Nothing else of the host's, so that no secret
 * reaches a child.
 *
 * @param source where the values come from, as `process.env`
 */
export function baseEnvironment(source: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && (PASSED_ON.has(name) || name.startsWith('LC_'))) environment[name] = value;
  }
  return environment;
}
