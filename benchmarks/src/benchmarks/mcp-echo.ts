import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalWorkspace } from '@agent-workspace/local';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';

const SERVER = { command: process.execPath, args: [join(import.meta.dirname, '..', 'echo-server.ts')] };
const INPUT = { text: 'hello' };

/** One call of a tool that answers at once, over stdio; the median is the p50. */
export const mcpEcho: Benchmark = {
  name: 'mcp-echo',
  async run(scratch) {
    await using opened = new AsyncDisposableStack();
    const workspace = opened.use(
      await LocalWorkspace.open({
        workdir: await mkdtemp(join(scratch, 'mcp-')),
        defaultMcps: [{ name: 'echo', ...SERVER }],
      }),
    );
    const [ours] = await workspace.listMcps();
    const bare = new Client({ name: 'benchmark', version: '1.0.0' });
    await bare.connect(new StdioClientTransport(SERVER));
    opened.defer(() => bare.close());
    return await compare({
      name: 'mcp-echo',
      subjects: [
        { name: 'ours', call: async () => ours?.callTool('echo', INPUT) },
        { name: 'bare MCP SDK', call: () => bare.callTool({ name: 'echo', arguments: INPUT }) },
      ],
      calls: 2000,
      warmUpCalls: 200,
    });
  },
};
