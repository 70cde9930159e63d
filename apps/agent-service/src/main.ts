import { WorkspaceError } from '@agent-workspace/core';
import { createApp } from './app.ts';
import { stderrLogger } from './log.ts';
import { parseOptions, UsageError } from './options.ts';
import { listen } from './server.ts';
import { openService, type Service } from './service.ts';

const FAILED = 1;
const USAGE = 2;
/** What workspaces stand on is not to be had, such as an engine. */
const NO_WORKSPACES = 3;

try {
  await serve();
} catch (error) {
  if (error instanceof UsageError) {
    console.error(error.message);
    process.exitCode = USAGE;
  } else if (WorkspaceError.isInstance(error)) {
    console.error(`${error.message} (${error.code})`);
    process.exitCode = NO_WORKSPACES;
  } else {
    console.error(error);
    process.exitCode = FAILED;
  }
}

async function serve(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env);
  const stopped = untilSignal();
  await using service = await openService(options, stderrLogger);
  await using server = await listen(await createApp(service), options);
  greet(service, server.url);
  await stopped;
  stderrLogger.info('Shutting down: turns have a while to end. A second signal does not wait.');
  await service.drain();
}

/** On stdout, for people and for who waits until the service is there. */
function greet({ options, tokens, models }: Service, url: string): void {
  const { backend, basedir, isSingleTenant } = options;
  console.log(`The agent service listens on ${url} (backend ${backend}, model ${models.name}, data in ${basedir}).`);
  if (tokens.made !== undefined) {
    console.log(`Token of the tenant "owner", made for this start and shown once: ${tokens.made}`);
  }
  if (backend === 'local' && !isSingleTenant) {
    console.log('Tenants have no Bash and no MCP servers here: they would run on this machine. See --single-tenant.');
  }
}

/** Settles at the first signal to end. The second one ends the process as it is. */
function untilSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isFirst = true;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!isFirst) process.exit(FAILED);
      isFirst = false;
      resolve();
    });
  }
  return promise;
}
