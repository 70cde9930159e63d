import { join } from 'node:path';
import type { TransportKind } from '@agent-workspace/docker';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { missingDocker } from '../docker/docker-bench.ts';
import { bundleProgram } from '../bundle-program.ts';
import { openGatewayEcho } from '../mcp/echo-session.ts';
import type { Row } from '../row.ts';

const BEST = 'socket';
const OTHERS = ['port', 'exec'] as const satisfies readonly TransportKind[];
const FILE = 'file.txt';
const CALLS = 300;

type Subject = Awaited<ReturnType<typeof openGatewayEcho>>;

const KINDS: Readonly<Record<string, (subject: Subject) => Promise<unknown>>> = {
  exec: async (subject) => subject.execTrue?.(),
  'read-1KiB': async (subject) => subject.readFile?.(FILE),
  'mcp-echo': (subject) => subject.echo('hello'),
};

/** The same over each transport, against the one that is taken where host and engine share a kernel. */
export const dockerTransports: Benchmark = {
  name: 'docker-transports',
  missing: missingDocker,
  async run(scratch) {
    const server = await bundleProgram('echo-server', scratch);
    await using opened = new AsyncDisposableStack();
    const open = async (transport: TransportKind): Promise<Subject> => {
      const root = join(scratch, `docker-transports-${transport}`);
      const subject = opened.use(await openGatewayEcho(root, server, { transport, name: transport }));
      await subject.writeFile?.(FILE, 'x'.repeat(1024));
      return subject;
    };
    const best = await open(BEST);
    const rows: Row[] = [];
    for (const transport of OTHERS) {
      const other = await open(transport);
      for (const [kind, call] of Object.entries(KINDS)) {
        const subjects = [other, best].map((subject) => ({ name: subject.name, call: () => call(subject) }));
        const name = `docker-transports-${transport}-${kind}`;
        rows.push(...(await compare({ name, subjects, calls: CALLS, warmUpCalls: CALLS / 5 })));
      }
    }
    return rows;
  },
};
