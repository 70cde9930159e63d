import { dirname } from 'node:path';
import * as e2b from 'e2b';
import { E2BEmulator, type Isolation } from '../../src/index.ts';

/** A program that starts an emulator with two sandboxes, one of them paused, and then waits to be killed. */
const isolation = process.argv[2] as Isolation;
const emulator = await E2BEmulator.start({ isolation });
Object.assign(process.env, emulator.env);
for (const isPaused of [true, false]) {
  const sandbox = await e2b.Sandbox.create();
  await sandbox.commands.run(`(setsid sleep 4244.${isolation.length} >/dev/null 2>&1 &)`);
  if (isPaused) await sandbox.pause();
}
const directory = dirname(emulator.nodeEnv.NODE_EXTRA_CA_CERTS);
process.stdout.write(`${JSON.stringify({ directory })}\n`);
