import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { E2BEmulator } from '../../src/index.ts';
import { CASES } from '../sdk/all-cases.ts';
import { runCases, SDK_SIDES } from './sdk-cases.ts';

const CASES_DEADLINE_MS = 400_000;

/**
 * Runs what a version of the SDK does in public: on this Node in the best roots that can be had here, and on
 * the oldest Node in plain processes.
 */
export function describeSdk(version: string): void {
  const combinations = SDK_SIDES.filter((side) => side.version === version).map((side) => ({
    side,
    isolation: side.node === process.execPath ? ('auto' as const) : ('process' as const),
  }));

  describe.each(combinations)('$side.name, isolation $isolation', ({ side, isolation }) => {
    let emulator: E2BEmulator;
    let outcomes: ReadonlyMap<string, string | undefined>;
    beforeAll(async () => {
      emulator = await E2BEmulator.start({ isolation });
      outcomes = await runCases({ side, emulator });
    }, CASES_DEADLINE_MS);
    afterAll(() => emulator.close());

    // Where `auto` finds no roots, the cases about them fail: they did not run.
    it.each(CASES.filter(({ needsRoot }) => needsRoot !== true || isolation !== 'process'))('$name', ({ name }) => {
      expect([...outcomes.keys()]).toContain(name);
      expect(outcomes.get(name)).toBeUndefined();
    });
  });
}
