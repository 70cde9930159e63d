import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TurnOutcome } from './chat/turn.ts';

/** Seconds. From a cached read to a turn of many steps. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

export interface Gauges {
  readonly turns: number;
  readonly openWorkspaces: number;
  readonly isDraining: boolean;
}

/** Numbers for Prometheus. None has a label that a tenant could choose. */
export class Metrics {
  readonly #requests = new Map<string, Histogram>();
  readonly #turns = new Map<string, Histogram>();
  readonly #evictions = new Map<string, number>();
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#loopDelay.enable();
  }

  /** @param route the pattern of the route, and not the path, of which there is no end */
  requestEnded(method: string, route: string, status: number, durationMs: number): void {
    observe(this.#requests, labels({ method, route, status: String(status) }), durationMs);
  }

  turnEnded(outcome: TurnOutcome, durationMs: number): void {
    observe(this.#turns, labels({ outcome }), durationMs);
  }

  managerTold(type: string): void {
    const key = labels({ type });
    this.#evictions.set(key, (this.#evictions.get(key) ?? 0) + 1);
  }

  /** In Prometheus' text format. */
  render({ turns, openWorkspaces, isDraining }: Gauges): string {
    const { rss, heapUsed } = process.memoryUsage();
    const lines = [
      ...histogram('agent_service_request_seconds', 'Until the headers of an answer were ready.', this.#requests),
      ...histogram('agent_service_turn_seconds', 'Turns of chats, by how they ended.', this.#turns),
      ...family('agent_service_manager_events_total', 'counter', 'What the workspace manager told.', this.#evictions),
      ...gauge('agent_service_turns', 'Turns under way.', turns),
      ...gauge('agent_service_open_workspaces', 'Workspaces that are open.', openWorkspaces),
      ...gauge('agent_service_draining', '1 while the service is about to end.', isDraining ? 1 : 0),
      ...gauge('agent_service_event_loop_delay_p99_seconds', 'Since the start.', this.#loopDelay.percentile(99) / 1e9),
      ...gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
      ...gauge('process_heap_bytes', 'JavaScript objects.', heapUsed),
    ];
    return `${lines.join('\n')}\n`;
  }

  close(): void {
    this.#loopDelay.disable();
  }
}

function observe(histograms: Map<string, Histogram>, key: string, durationMs: number): void {
  const seconds = durationMs / 1_000;
  const existing = histograms.get(key) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
  histograms.set(key, existing);
  BUCKETS.forEach((most, index) => {
    if (seconds <= most) existing.counts[index] = (existing.counts[index] ?? 0) + 1;
  });
  existing.sum += seconds;
  existing.count += 1;
}

function labels(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');
}

function histogram(name: string, help: string, histograms: ReadonlyMap<string, Histogram>): string[] {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const [key, { counts, sum, count }] of histograms) {
    BUCKETS.forEach((most, index) => lines.push(`${name}_bucket{${key},le="${most}"} ${counts[index] ?? 0}`));
    lines.push(
      `${name}_bucket{${key},le="+Inf"} ${count}`,
      `${name}_sum{${key}} ${sum}`,
      `${name}_count{${key}} ${count}`,
    );
  }
  return lines;
}

function family(name: string, type: string, help: string, values: ReadonlyMap<string, number>): string[] {
  const samples = [...values].map(([key, value]) => `${name}{${key}} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}
