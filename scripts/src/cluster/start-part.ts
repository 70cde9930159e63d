import { partLog } from './part-log.ts';
import { findParts, type PartName, type PartOptions, partCommand } from './parts.ts';
import { startInNamespaces } from './private-namespaces.ts';
import { waitUntil } from './wait-until.ts';

const START_TIMEOUT_MS = 30_000;

/** Starts a part. Returns when it runs, which is before it answers. */
export async function startPart(part: PartName, options: PartOptions): Promise<void> {
  const { folder } = options;
  const way = await startInNamespaces(folder, { argv: partCommand(part, options), logFile: partLog(part, folder) });
  // One that has ended again is noticed by whoever waits for its answer.
  await waitUntil(
    `${part} runs`,
    START_TIMEOUT_MS,
    async () => way.exitCode !== null || (await findParts(folder)).has(part),
  );
}
