import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** What `GET /metrics` answers: memory and disk in bytes, the clock in seconds. */
export interface Metrics {
  readonly ts: number;
  readonly cpu_count: number;
  readonly cpu_used_pct: number;
  readonly mem_total_mib: number;
  readonly mem_used_mib: number;
  readonly mem_total: number;
  readonly mem_used: number;
  readonly mem_cache: number;
  readonly disk_used: number;
  readonly disk_total: number;
}

interface CpuTime {
  readonly total: number;
  readonly idle: number;
}

function cpuTime(): CpuTime {
  let [total, idle] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { total, idle };
}

async function memory(): Promise<{ readonly total: number; readonly free: number; readonly cache: number }> {
  if (process.platform !== 'linux') return { total: totalmem(), free: freemem(), cache: 0 };
  const text = await readFile('/proc/meminfo', 'utf8');
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { total: read('MemTotal'), free: read('MemAvailable'), cache: read('Cached') };
}

/** Measures the machine. The processor's share is that since the last call. */
export class MetricsReader {
  #last: CpuTime = cpuTime();

  async read(): Promise<Metrics> {
    const now = cpuTime();
    const total = now.total - this.#last.total;
    const used = total > 0 ? 1 - (now.idle - this.#last.idle) / total : 0;
    this.#last = now;
    const [{ total: memTotal, free, cache }, disk] = await Promise.all([memory(), statfs('/')]);
    const memUsed = memTotal - free;
    return {
      ts: Math.floor(Date.now() / 1000),
      cpu_count: cpus().length,
      cpu_used_pct: Math.round(used * 10_000) / 100,
      mem_total_mib: Math.floor(memTotal / MIB),
      mem_used_mib: Math.floor(memUsed / MIB),
      mem_total: memTotal,
      mem_used: memUsed,
      mem_cache: cache,
      disk_used: (disk.blocks - disk.bfree) * disk.bsize,
      disk_total: disk.blocks * disk.bsize,
    };
  }
}
