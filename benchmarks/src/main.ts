/**
 * `pnpm bench [name…] [--json]`: runs the benchmarks whose names begin with one of those given, or
 * all of them. Rows go to stdout, news of the progress to stderr.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { appendReopened, appendWarm } from './benchmarks/append.ts';
import { exec } from './benchmarks/exec.ts';
import { edit, readLarge, readSmall, writeSmall } from './benchmarks/files.ts';
import { importTime } from './benchmarks/import-time.ts';
import { initializeCold, initializeExisting } from './benchmarks/initialize.ts';
import { mcpEcho } from './benchmarks/mcp-echo.ts';
import { glob, grep } from './benchmarks/search.ts';
import { formatTable, type Row } from './row.ts';

const BENCHMARKS: readonly Benchmark[] = [
  exec,
  readSmall,
  readLarge,
  writeSmall,
  edit,
  grep,
  glob,
  appendWarm,
  appendReopened,
  initializeCold,
  initializeExisting,
  mcpEcho,
  importTime,
];

function select(names: readonly string[]): readonly Benchmark[] {
  const stranger = names.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name.startsWith(name)));
  if (stranger !== undefined) {
    const known = BENCHMARKS.map((benchmark) => benchmark.name).join(', ');
    throw new Error(`No benchmark begins with "${stranger}". There are: ${known}.`);
  }
  if (names.length === 0) return BENCHMARKS;
  return BENCHMARKS.filter((benchmark) => names.some((name) => benchmark.name.startsWith(name)));
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const selected = select(positionals);
const scratch = await mkdtemp(join(tmpdir(), 'agent-workspace-bench-'));
try {
  const rows: Row[] = [];
  for (const benchmark of selected) {
    process.stderr.write(`${benchmark.name} …\n`);
    try {
      const measured = await benchmark.run(scratch);
      rows.push(...measured);
      if (values.json) for (const row of measured) console.log(JSON.stringify(row));
    } catch (error) {
      // The others are worth having all the same.
      process.stderr.write(`${benchmark.name} failed: ${inspect(error)}\n`);
      process.exitCode = 1;
    }
  }
  if (!values.json) console.log(formatTable(rows));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
