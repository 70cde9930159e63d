/** Engines that have to be there, by name and separated by commas, such as `docker,kubernetes`. */
const REQUIRED_VARIABLE = 'WORKSPACE_REQUIRE';

/**
 * Whether the suites of an engine can run here, for `describe.skipIf(!(await requireEngine(…)))`.
 * Where they cannot, it says so aloud.
 *
 * @param probe rejects where the engine is not
 * @throws where `WORKSPACE_REQUIRE` names the engine and it is not there, so that CI leaves nothing out
 */
export async function requireEngine(name: string, probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const required = (process.env[REQUIRED_VARIABLE] ?? '').split(',').map((entry) => entry.trim());
    if (required.includes(name)) {
      throw new Error(`${REQUIRED_VARIABLE} names ${name}, and it is not there: ${reason}`, { cause: error });
    }
    console.warn(`Skipping the tests on ${name}, which is not there: ${reason}`);
    return false;
  }
}
