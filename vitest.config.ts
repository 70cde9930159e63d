import { defineConfig } from 'vitest/config';

// Files that start real processes measure time as well: two at once is what two cores carry.
const REAL_PROCESS_WORKERS = 4;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,apps}/*/src/**/*.test.ts', '{benchmarks,scripts}/src/**/*.test.ts'],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{packages,apps}/*/test/**/*.integration.test.ts'],
          globalSetup: ['scripts/build-programs.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: REAL_PROCESS_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'packed',
          include: ['scripts/test/**/*.integration.test.ts'],
          maxConcurrency: REAL_PROCESS_WORKERS,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: REAL_PROCESS_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
