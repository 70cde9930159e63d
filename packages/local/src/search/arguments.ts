import { availableParallelism } from 'node:os';
import type { GrepOptions, SearchOptions } from '@agent-workspace/core';
import type { FileFilter } from './file-filter.ts';
import type { SearchPlace } from './search-place.ts';

/** A type of our own, made for one call out of the names that its glob allows. */
const NAMES_TYPE = 'awnames';

/** Which files ripgrep walks to: those on disk, without what is not the agent's work. */
function walkArguments(place: SearchPlace, options: SearchOptions): readonly string[] {
  return [
    '--no-config',
    '--color=never',
    '--hidden',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-parent',
    '--no-ignore-messages',
    '--glob=!.git',
    '--glob=!.aw-tmp-*',
    ...(place.statePattern === undefined ? [] : [`--glob=!${place.statePattern}`]),
    ...(options.includeIgnored === true ? ['--no-ignore'] : place.ignoreFiles.map((file) => `--ignore-file=${file}`)),
  ];
}

export function globArguments(place: SearchPlace, options: SearchOptions): readonly string[] {
  // Walking is light work: one processor is left to this process, which takes in what is found.
  const threads = Math.max(1, availableParallelism() - 1);
  return ['--files', '--null', `--threads=${threads}`, ...walkArguments(place, options)];
}

/** @param needed matches that can be of use, of any one file */
export function grepArguments(
  place: SearchPlace,
  filter: FileFilter,
  options: GrepOptions,
  needed: number = Infinity,
): readonly string[] {
  return [
    ...walkArguments(place, options),
    '--null',
    '--with-filename',
    '--crlf',
    // A mapped file that someone makes shorter takes the whole search down.
    '--no-mmap',
    ...modeArguments(options, needed),
    ...typeArguments(filter, options.type),
    ...(options.ignoreCase === true ? ['--ignore-case'] : []),
    ...(options.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    `--regexp=${options.pattern}`,
  ];
}

function modeArguments(options: GrepOptions, needed: number): readonly string[] {
  switch (options.mode) {
    case 'files':
      return ['--files-with-matches'];
    case 'counts':
      return ['--count'];
    case 'lines':
      return [
        '--no-heading',
        '--line-number',
        '--column',
        '--no-context-separator',
        `--before-context=${options.linesBefore ?? 0}`,
        `--after-context=${options.linesAfter ?? 0}`,
        ...(Number.isFinite(needed) ? [`--max-count=${needed}`] : []),
      ];
  }
}

/** Two types would add up, so that one has to do. */
function typeArguments(filter: FileFilter, type: string | undefined): readonly string[] {
  return type === undefined ? namesArguments(filter.names) : [`--type=${type}`];
}

/** Spares ripgrep files that cannot match. A type, unlike `--glob`, leaves ignored files ignored. */
function namesArguments(names: readonly string[] | undefined): readonly string[] {
  if (names === undefined) return [];
  return [...names.map((name) => `--type-add=${NAMES_TYPE}:${name}`), `--type=${NAMES_TYPE}`];
}
