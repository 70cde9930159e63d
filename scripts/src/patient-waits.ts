import { inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** How many milliseconds `vi.waitFor` waits that is not told how many. */
    readonly patienceMs: number;
  }
}

// Vitest has a setting for `expect.poll`, but none for this.
const { waitFor } = vi;
const timeout = inject('patienceMs');
vi.waitFor = (callback, options) => waitFor(callback, typeof options === 'number' ? options : { timeout, ...options });
