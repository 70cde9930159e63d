import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { type Bars, compare } from '../compare.ts';
import { missingDocker } from '../docker/docker-bench.ts';
import { callAtOnce } from '../mcp/at-once.ts';
import { bundleProgram } from '../bundle-program.ts';
import { type EchoSession, openDirectEcho, openGatewayEcho, openProxiedEcho } from '../mcp/echo-session.ts';
import type { Row } from '../row.ts';

const AT_ONCE = 32;
const BATCH = 20 * AT_ONCE;
const DIRECT = 'bare MCP SDK';

interface EchoOptions {
  readonly sessions: readonly EchoSession[];
  readonly calls: number;
  readonly bars?: Bars | undefined;
}

type Compare = (options: EchoOptions) => Promise<readonly Row[]>;

const oneAtATime: Compare = ({ sessions, calls, bars }) =>
  compare({
    name: 'docker-mcp-echo',
    subjects: sessions.map((session) => ({ name: session.name, call: () => session.echo('hello') })),
    bars,
    calls,
    warmUpCalls: calls / 5,
  });

const manyAtOnce: Compare = ({ sessions, calls, bars }) =>
  compare({
    name: `docker-mcp-echo-${AT_ONCE}`,
    subjects: sessions.map((session) => ({
      name: session.name,
      call: () => callAtOnce(BATCH, AT_ONCE, () => session.echo('hello')),
    })),
    batch: BATCH,
    bars,
    calls: Math.ceil(calls / 50),
    warmUpCalls: 3,
  });

function echoBenchmark(name: string, measure: Compare, bars: Bars): Benchmark {
  return {
    name,
    missing: missingDocker,
    async run(scratch) {
      const server = await bundleProgram('echo-server', scratch);
      await using opened = new AsyncDisposableStack();
      const ours = opened.use(await openGatewayEcho(join(scratch, name), server));
      const direct = opened.use(await openDirectEcho(server));
      const rows = await measure({ sessions: [ours, direct], calls: 2000, bars });
      // Apart, since they keep the processors busy.
      const supergateway = opened.use(await openProxiedEcho('supergateway', server));
      const mcpProxy = opened.use(await openProxiedEcho('mcp-proxy', server));
      return [...rows, ...(await measure({ sessions: [ours, supergateway, mcpProxy], calls: 500 }))];
    },
  };
}

/** A tool call to an MCP server in a container; the median is the p50. */
export const dockerMcpEcho: Benchmark = echoBenchmark('docker-mcp-echo', oneAtATime, { [DIRECT]: { barMs: 0.5 } });

/** As many calls a second as can be made with 32 at once. */
export const dockerMcpEchoRate: Benchmark = echoBenchmark('docker-mcp-echo-32', manyAtOnce, {
  [DIRECT]: { bar: 0.4 },
});
