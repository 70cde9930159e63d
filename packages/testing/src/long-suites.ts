/** `1` has the suites run that take many minutes and that most changes do not touch. */
const LONG_VARIABLE = 'WORKSPACE_LONG';

/** Whether a suite runs that takes many minutes. Where it does not, it says so aloud. */
export function runsLongSuite(name: string): boolean {
  if (process.env[LONG_VARIABLE] === '1') return true;
  console.warn(`Skipping ${name}, which takes minutes; ${LONG_VARIABLE}=1 runs it, too.`);
  return false;
}
