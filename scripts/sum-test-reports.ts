/**
 * Prints the sum over vitest's JSON reports, given as paths, and fails if a test failed or none ran.
 */
import { readFile } from 'node:fs/promises';
import { countTests, formatCounts } from './src/test-report.ts';

const reports = await Promise.all(process.argv.slice(2).map((path) => readFile(path, 'utf8')));
const counts = countTests(reports);
console.log(formatCounts(counts));
if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
