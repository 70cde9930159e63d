import { z } from 'zod';

/** The parts of vitest's JSON report that are counted. */
const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Counts the tests of vitest's JSON reports together. A file that failed without a failed test, such
 * as one that could not be imported, is one failure.
 */
export function countTests(reports: readonly string[]): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const text of reports) {
    const report = reportSchema.parse(JSON.parse(text));
    const brokenFiles = report.testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    );
    counts.passed += report.numPassedTests;
    counts.failed += report.numFailedTests + brokenFiles.length;
    counts.skipped += report.numPendingTests + report.numTodoTests;
  }
  return counts;
}

/** Names the tests of vitest's JSON reports that failed at first and passed when they were tried again, with why. */
export function listTriedAgain(reports: readonly string[]): readonly string[] {
  return reports.flatMap((text) =>
    reportSchema
      .parse(JSON.parse(text))
      .testResults.flatMap(({ name, assertionResults }) =>
        assertionResults.flatMap(({ fullName, status, failureMessages }) =>
          status === 'passed' && failureMessages?.[0] !== undefined
            ? [`${name}: ${fullName}\n${failureMessages[0]}`]
            : [],
        ),
      ),
  );
}

/** `12 passed, 0 failed`, and the skipped ones where there are any. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
