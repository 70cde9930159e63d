import { describe, expect, it } from 'vitest';
import { countTests, formatCounts } from './test-report.ts';

function report(passed: number, failed: number, skipped: number, files: readonly object[] = []): string {
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: files,
  });
}

describe('countTests', () => {
  it('adds up several reports', () => {
    expect(countTests([report(3, 1, 2), report(4, 0, 0)])).toEqual({ passed: 7, failed: 1, skipped: 2 });
  });

  it('counts a file that could not be imported as one failure, and a failed test once', () => {
    const files = [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
    ];
    expect(countTests([report(1, 1, 0, files)])).toEqual({ passed: 1, failed: 2, skipped: 0 });
  });
});

describe('formatCounts', () => {
  it('names skipped tests only where there are any', () => {
    expect(formatCounts({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
    expect(formatCounts({ passed: 12, failed: 1, skipped: 4 })).toBe('12 passed, 1 failed, 4 skipped');
  });
});
