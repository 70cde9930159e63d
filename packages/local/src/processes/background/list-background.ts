import { readdir } from 'node:fs/promises';
import type { Logger } from '@agent-workspace/core';
import { isErrno, translateError } from '../../files/translate-error.ts';
import { LocalBackgroundProcess } from './local-background-process.ts';
import { parseRecord, parseRecordName, type RecordPaths, recordPaths } from './record.ts';
import { readText } from './read-text.ts';

/** Twice what a command line can be on Linux: it is there as `argv` and as `label`. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** The background command of one record; `undefined`, with a warning, if it is no record. */
export function readBackground(paths: RecordPaths, number: number, logger: Logger): LocalBackgroundProcess | undefined {
  const text = readText(paths.record, MAX_RECORD_BYTES);
  const record = text === undefined ? undefined : parseRecord(text, number);
  if (record !== undefined) return new LocalBackgroundProcess({ record, paths, logger });
  logger.warn(`${paths.record} is no record of a background command.`);
  return undefined;
}

/** Every background command on record in a directory, by number; none if there is no directory. */
export async function listBackground(directory: string, logger: Logger): Promise<readonly LocalBackgroundProcess[]> {
  let names: readonly string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw translateError(error, 'list', directory);
  }
  return names
    .map(parseRecordName)
    .flatMap((parsed) => (parsed?.isRecord === true ? parsed.number : []))
    .toSorted((one, other) => one - other)
    .flatMap((number) => {
      try {
        return readBackground(recordPaths(directory, number), number, logger) ?? [];
      } catch (error) {
        logger.warn(`Could not read the record of background command ${number} in ${directory}.`, { error });
        return [];
      }
    });
}
