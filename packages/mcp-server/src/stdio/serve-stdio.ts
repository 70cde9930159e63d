import type { WorkspaceMcpOptions } from '../mcp-server-options.ts';
import { WorkspaceMcpServer } from '../workspace-mcp-server.ts';
import { claimStdout } from './claim-stdout.ts';
import { StdioTransport } from './stdio-transport.ts';

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Serves a workspace on this process's stdin and stdout, until stdin ends or a signal asks for an
 * end; then everything is closed, and `closed` resolves. A second signal ends the process at once.
 *
 * From here on, `console.log` and all else that writes to stdout goes to stderr.
 *
 * @throws `mcp-server-options-invalid`
 */
export async function serveStdio(options: WorkspaceMcpOptions): Promise<WorkspaceMcpServer> {
  const server = new WorkspaceMcpServer(options);
  const { output, release } = claimStdout();
  const onSignal = (): void => void server.close();
  for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
  void server.closed.then(() => {
    release();
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  });
  await server.connect(new StdioTransport(process.stdin, output));
  return server;
}
