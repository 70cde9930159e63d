/** `all` has the workspace contract run over every way to a sandbox. */
const TRANSPORTS_VARIABLE = 'WORKSPACE_TRANSPORTS';

/**
 * Whether the workspace contract runs over a way to a sandbox. What is carried over it, the backend contract tries
 * over each; this one takes minutes more for those that start a process for each connection, or go round by an API
 * server. Where it does not run, it says so aloud.
 *
 * @param isUsual the way that a workspace takes where nothing keeps it from that
 */
export function isTestedOver(transport: string, { isUsual }: { readonly isUsual: boolean }): boolean {
  if (isUsual || process.env[TRANSPORTS_VARIABLE] === 'all') return true;
  console.warn(`Skipping the workspace contract over ${transport}; ${TRANSPORTS_VARIABLE}=all runs it, too.`);
  return false;
}
