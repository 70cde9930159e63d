import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { requireEngine } from './require-engine.ts';

const missing = (): Promise<never> => Promise.reject(new Error('nothing listens there'));

describe('requireEngine', () => {
  let warn: MockInstance<typeof console.warn>;

  beforeEach(() => {
    warn = vi.spyOn(console, 'warn').mockReturnValue();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('says nothing of an engine that is there', async () => {
    vi.stubEnv('WORKSPACE_REQUIRE', 'docker');
    expect(await requireEngine('docker', () => Promise.resolve())).toBe(true);
    expect(warn).not.toHaveBeenCalled();
  });

  it('says aloud what is left out, and why', async () => {
    vi.stubEnv('WORKSPACE_REQUIRE', '');
    expect(await requireEngine('docker', missing)).toBe(false);
    expect(warn.mock.calls).toStrictEqual([
      ['Skipping the tests on docker, which is not there: nothing listens there'],
    ]);
  });

  it('fails where the engine is required, among others', async () => {
    vi.stubEnv('WORKSPACE_REQUIRE', 'kubernetes, docker');
    await expect(requireEngine('docker', missing)).rejects.toThrow(
      'WORKSPACE_REQUIRE names docker, and it is not there: nothing listens there',
    );
    expect(warn).not.toHaveBeenCalled();
  });
});
