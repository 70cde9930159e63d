import { describe, expect, it } from 'vitest';
import { countTests, formatCounts, listTriedAgain } from './test-report.ts';

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
      { name: 'a', status: 'failed', assertionResults: [] },
      { name: 'b', status: 'failed', assertionResults: [{ fullName: 't', status: 'failed' }] },
      { name: 'c', status: 'passed', assertionResults: [{ fullName: 't', status: 'passed' }] },
    ];
    expect(countTests([report(1, 1, 0, files)])).toEqual({ passed: 1, failed: 2, skipped: 0 });
  });
});

describe('listTriedAgain', () => {
  it('names what passed at the second try, with why it failed at the first', () => {
    const assertionResults = [
      { fullName: 'passes', status: 'passed', failureMessages: [] },
      { fullName: 'fails', status: 'failed', failureMessages: ['broken'] },
      { fullName: 'wavers', status: 'passed', failureMessages: ['too early'] },
      { fullName: 'waits', status: 'skipped' },
    ];
    const files = [{ name: 'a.test.ts', status: 'failed', assertionResults }];
    expect(listTriedAgain([report(2, 1, 1, files)])).toEqual(['a.test.ts: wavers\ntoo early']);
  });
});

describe('formatCounts', () => {
  it('names skipped tests only where there are any', () => {
    expect(formatCounts({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
    expect(formatCounts({ passed: 12, failed: 1, skipped: 4 })).toBe('12 passed, 1 failed, 4 skipped');
  });
});
