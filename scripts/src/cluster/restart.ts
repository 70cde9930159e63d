import { addressesOfSlot } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { lockCluster } from './cluster-lock.ts';
import { readState } from './cluster-state.ts';
import { waitForPart } from './health.ts';
import { hasEnded } from './marked-processes.ts';
import { findParts, type PartName } from './parts.ts';
import { programsIn } from './programs.ts';
import { startPart } from './start-part.ts';
import { waitUntil } from './wait-until.ts';

const END_TIMEOUT_MS = 10_000;
import { NotRunningError } from './not-running-error.ts';

/**
 * Kills a part with SIGKILL, if it runs, and starts it again as it was started before. Returns when it answers.
 * @throws Error if no cluster runs
 */
export async function restartPart(folder: ClusterFolder, part: PartName): Promise<void> {
  await using _lock = await lockCluster(folder);
  const state = await readState(folder);
  if (state === undefined) throw new NotRunningError();
  const options = {
    folder,
    addresses: addressesOfSlot(state.slot),
    kubernetes: programsIn(state.programsDirectory).kubernetes,
  };
  const running = (await findParts(folder)).get(part);
  if (running !== undefined) {
    process.kill(running.pid, 'SIGKILL');
    await waitUntil(`${part} has ended`, END_TIMEOUT_MS, () => hasEnded(running.pid));
  }
  await startPart(part, options);
  await waitForPart(part, options);
}
