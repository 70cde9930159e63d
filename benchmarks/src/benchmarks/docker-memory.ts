import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Benchmark } from '../benchmark.ts';
import { bundleProgram } from '../bundle-program.ts';
import { missingDocker } from '../docker/docker-bench.ts';
import { GatewayMemory } from '../docker/gateway-memory.ts';
import { callAtOnce } from '../mcp/at-once.ts';
import { openGatewayEcho } from '../mcp/echo-session.ts';
import { median } from '../measure.ts';
import { makeRow } from '../row.ts';

const CALLS = 50_000;
const SAMPLES = 50;
const AT_ONCE = 32;
const HEAP_PROGRAM = 'heap-of-parent.mjs';
const FLAT = 1.1;
const MIB = 1024 * 1024;

const KINDS = ['host-heap', 'gateway-heap', 'host-rss', 'gateway-rss'] as const;
type Held = Readonly<Record<(typeof KINDS)[number], number>>;

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/**
 * What the host's process and the gateway's hold after 50,000 tool calls, against after half of them:
 * the heaps when their garbage is collected, and what was resident in the later half of the calls before.
 */
export const dockerMemory: Benchmark = {
  name: 'docker-memory',
  missing: missingDocker,
  async run(scratch) {
    const collect = garbageCollector();
    const server = await bundleProgram('echo-server', scratch);
    await using session = await openGatewayEcho(join(scratch, 'docker-memory'), server);
    await copyFile(await bundleProgram('heap-of-parent', scratch), join(session.hostDirectory, HEAP_PROGRAM));
    const gateway = new GatewayMemory(session.workspace.backend, `/workspace/${HEAP_PROGRAM}`);
    const call = (calls: number): Promise<void> => callAtOnce(calls, AT_ONCE, () => session.echo('hello'));
    const callHalf = async (): Promise<Held> => {
      const samples: { readonly host: number; readonly gateway: number }[] = [];
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        await call(CALLS / 2 / SAMPLES);
        samples.push({ host: process.memoryUsage().rss, gateway: await gateway.rss() });
      }
      const later = samples.slice(SAMPLES / 2);
      const gatewayHeap = await gateway.heap();
      collect();
      return {
        'host-heap': process.memoryUsage().heapUsed,
        'gateway-heap': gatewayHeap,
        'host-rss': median(later.map(({ host }) => host)),
        'gateway-rss': median(later.map((sample) => sample.gateway)),
      };
    };
    const half = await callHalf();
    const whole = await callHalf();
    return KINDS.map((kind) =>
      makeRow({
        name: `docker-memory-${kind}`,
        unit: 'MiB',
        ours: whole[kind] / MIB,
        against: half[kind] / MIB,
        againstName: `after ${CALLS / 2} calls`,
        bar: FLAT,
      }),
    );
  },
};
