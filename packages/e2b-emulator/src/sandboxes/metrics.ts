import { z } from 'zod';
import { callEnvd } from '../roots/call-envd.ts';
import type { SandboxRoot } from '../roots/sandbox-root.ts';

/** As the control plane tells it: memory and disk in bytes. */
export interface SandboxMetric {
  readonly timestamp: string;
  readonly timestampUnix: number;
  readonly cpuCount: number;
  readonly cpuUsedPct: number;
  readonly memUsed: number;
  readonly memTotal: number;
  readonly memCache: number;
  readonly diskUsed: number;
  readonly diskTotal: number;
}

const envdMetrics = z.object({
  cpu_count: z.number(),
  cpu_used_pct: z.number(),
  mem_used: z.number(),
  mem_total: z.number(),
  mem_cache: z.number().default(0),
  disk_used: z.number(),
  disk_total: z.number(),
});

const BUCKET_SECONDS = 5;
/** Fifteen minutes of buckets are enough for whoever looks now and then. */
const KEPT = 180;

/** What was measured of a sandbox: at most once in a bucket, when somebody asks. */
export class MetricsLog {
  readonly #metrics: SandboxMetric[] = [];

  get all(): readonly SandboxMetric[] {
    return this.#metrics;
  }

  async sample(root: SandboxRoot, accessToken: string | undefined): Promise<void> {
    const timestampUnix = Math.floor(Date.now() / 1000);
    const last = this.#metrics.at(-1);
    if (last !== undefined && timestampUnix - last.timestampUnix < BUCKET_SECONDS) return;
    const answer = await callEnvd(root, { method: 'GET', path: '/metrics', accessToken });
    const measured = envdMetrics.parse(JSON.parse(answer.body));
    this.#metrics.push({
      timestamp: new Date(timestampUnix * 1000).toISOString(),
      timestampUnix,
      cpuCount: measured.cpu_count,
      cpuUsedPct: measured.cpu_used_pct,
      memUsed: measured.mem_used,
      memTotal: measured.mem_total,
      memCache: measured.mem_cache,
      diskUsed: measured.disk_used,
      diskTotal: measured.disk_total,
    });
    if (this.#metrics.length > KEPT) this.#metrics.shift();
  }
}
