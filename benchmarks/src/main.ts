/**
 * `pnpm bench [name…] [--json]`: runs the benchmarks whose names begin with one of those given, or
 * all of them. Rows go to stdout; what they were measured with, and news of the progress, to stderr.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { appendReopened, appendWarm } from './benchmarks/append.ts';
import { dockerExec } from './benchmarks/docker-exec.ts';
import { dockerRead, dockerWrite } from './benchmarks/docker-files.ts';
import { dockerClose, dockerInitialize } from './benchmarks/docker-life.ts';
import { dockerMcpEcho, dockerMcpEchoRate } from './benchmarks/docker-mcp-echo.ts';
import { dockerMemory } from './benchmarks/docker-memory.ts';
import { dockerTransports } from './benchmarks/docker-transports.ts';
import { exec } from './benchmarks/exec.ts';
import { edit, readLarge, readSmall, writeSmall } from './benchmarks/files.ts';
import { importTime } from './benchmarks/import-time.ts';
import { initializeCold, initializeExisting } from './benchmarks/initialize.ts';
import { kubernetesExec, kubernetesRead } from './benchmarks/kubernetes-exec.ts';
import { kubernetesInitialize, kubernetesInitializeBuilt, kubernetesPrewarmed } from './benchmarks/kubernetes-life.ts';
import { kubernetesMcpEcho } from './benchmarks/kubernetes-mcp-echo.ts';
import { managerCached, managerPrewarmed } from './benchmarks/manager.ts';
import { mcpEcho } from './benchmarks/mcp-echo.ts';
import { glob, grep } from './benchmarks/search.ts';
import { removeContainers } from './docker/docker-bench.ts';
import { describeEnvironment, describeLoad } from './environment.ts';
import { interruption, watchForInterruption } from './interruption.ts';
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
  managerCached,
  managerPrewarmed,
  dockerExec,
  dockerRead,
  dockerWrite,
  dockerMcpEcho,
  dockerMcpEchoRate,
  dockerMemory,
  dockerInitialize,
  dockerClose,
  dockerTransports,
  kubernetesExec,
  kubernetesRead,
  kubernetesMcpEcho,
  kubernetesInitialize,
  kubernetesInitializeBuilt,
  kubernetesPrewarmed,
];

/** What a shell says of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

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
watchForInterruption();
process.stderr.write(`${await describeEnvironment()}\n`);
const scratch = await mkdtemp(join(tmpdir(), 'agent-workspace-bench-'));
try {
  const rows: Row[] = [];
  for (const benchmark of selected) {
    if (interruption.aborted) break;
    const missing = await benchmark.missing?.();
    if (missing !== undefined) {
      process.stderr.write(`${benchmark.name} left out: ${missing}\n`);
      // Whoever asks for it by name is to notice.
      if (positionals.length > 0) process.exitCode = 1;
      continue;
    }
    process.stderr.write(`${benchmark.name} … (${describeLoad()})\n`);
    try {
      const measured = await benchmark.run(scratch);
      rows.push(...measured);
      if (values.json) for (const row of measured) console.log(JSON.stringify(row));
    } catch (error) {
      // The others are worth having all the same.
      process.stderr.write(`${benchmark.name} ${interruption.aborted ? 'interrupted' : `failed: ${inspect(error)}`}\n`);
      process.exitCode = interruption.aborted ? INTERRUPTED : 1;
    }
  }
  if (!values.json && rows.length > 0) console.log(formatTable(rows));
  process.stderr.write(`${describeLoad()}\n`);
} finally {
  await removeContainers();
  await rm(scratch, { recursive: true, force: true });
}
