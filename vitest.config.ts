import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ContractsFirst } from './scripts/src/contracts-first.ts';

// Files that start real processes wait for half of their time.
const REAL_PROCESS_WORKERS = 4;

// Programs of ours are started by the hundred, from their sources.
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules', '.cache', 'compile');

// How long a test waits for what is to become true, on a machine that does much else.
const PATIENCE_MS = 15_000;

const patience = {
  expect: { poll: { timeout: PATIENCE_MS } },
  setupFiles: [join(import.meta.dirname, 'scripts', 'src', 'patient-waits.ts')],
  provide: { patienceMs: PATIENCE_MS },
};

/**
 * Real engines, thousands of processes and two cores: of some 8,000 tests one fails by chance now and then. In CI it is
 * tried once more, and named at the end, to be mended.
 */
const TRIES_AGAIN = process.env['CI'] === undefined ? 0 : 1;

export default defineConfig({
  test: {
    sequence: { sequencer: ContractsFirst },
    projects: [
      {
        test: {
          ...patience,
          name: 'unit',
          include: ['{packages,apps}/*/src/**/*.test.ts', '{benchmarks,scripts}/src/**/*.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patience,
          name: 'integration',
          retry: TRIES_AGAIN,
          include: ['{packages,apps}/*/test/**/*.integration.test.ts'],
          globalSetup: ['scripts/build-programs.ts'],
          env: { NODE_COMPILE_CACHE },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: REAL_PROCESS_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patience,
          name: 'packed',
          retry: TRIES_AGAIN,
          include: ['scripts/test/**/*.integration.test.ts'],
          maxConcurrency: REAL_PROCESS_WORKERS,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: REAL_PROCESS_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          // Kills parts of the cluster that other files have Pods in: after all of them, and a file at a time.
          name: 'disruptive',
          retry: TRIES_AGAIN,
          include: ['{packages,apps}/*/test/**/*.disruptive.test.ts'],
          globalSetup: ['scripts/build-programs.ts'],
          env: { NODE_COMPILE_CACHE },
          testTimeout: 300_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
