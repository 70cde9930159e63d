import { fileURLToPath } from 'node:url';
import { addPolyfills } from './process/polyfills.ts';
import { parseArguments, USAGE, UsageError } from './process/arguments.ts';

declare const GATEWAY_VERSION: string;

const USAGE_EXIT_CODE = 2;

async function main(): Promise<void> {
  addPolyfills();
  const options = parseArguments(process.argv.slice(2));
  switch (options.command) {
    case 'help':
      process.stdout.write(USAGE);
      break;
    case 'version':
      process.stdout.write(`${GATEWAY_VERSION}\n`);
      break;
    case 'attach': {
      const { attach } = await import('./attachments/attach.ts');
      await attach({ adminSocket: options.adminSocket, input: process.stdin });
      break;
    }
    case 'warm-up': {
      const { warmUp } = await import('./process/warm-up.ts');
      await warmUp({ bundlePath: fileURLToPath(import.meta.url) });
      break;
    }
    case 'serve': {
      // Loaded when it is wanted: the other commands are to be quick.
      const { runGateway } = await import('./process/run-gateway.ts');
      await runGateway({ ...options, version: GATEWAY_VERSION, bundlePath: fileURLToPath(import.meta.url) });
      break;
    }
  }
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n${isUsage ? USAGE : ''}`);
  // Some of it may be running already.
  process.exit(isUsage ? USAGE_EXIT_CODE : 1);
});
