/**
 * Prints which tests had to be tried again, and the sum over vitest's JSON reports, given as paths. Fails if a test
 * failed or none ran.
 */
import { readFile } from 'node:fs/promises';
import { countTests, formatCounts, listTriedAgain } from './src/test-report.ts';

const reports = await Promise.all(process.argv.slice(2).map((path) => readFile(path, 'utf8')));
for (const test of listTriedAgain(reports)) console.log(`Passed only when it was tried again: ${test}\n`);
const counts = countTests(reports);
console.log(formatCounts(counts));
if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
