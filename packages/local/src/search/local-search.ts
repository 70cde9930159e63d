import {
  type GlobOptions,
  type GlobResult,
  type GrepLine,
  type GrepOptions,
  type GrepResult,
  NotADirectoryError,
  PatternInvalidError,
  type SearchOptions,
} from '@agent-workspace/core';
import type { PathGuard } from '../files/path-guard.ts';
import { throwIfAborted } from '../files/translate-error.ts';
import { globArguments, grepArguments } from './arguments.ts';
import { cutLine } from './cut-line.ts';
import { FileFilter } from './file-filter.ts';
import { PathPattern } from './path-pattern.ts';
import { type LineHandlers, LineReader } from './read-lines.ts';
import { readPaths } from './read-paths.ts';
import { installedRipgrep } from './ripgrep-path.ts';
import { type RipgrepOutcome, runRipgrep } from './run-ripgrep.ts';
import { findPlace, narrowPlace, type SearchPlace } from './search-place.ts';
import { SortedPaths } from './sorted-paths.ts';
import { SortedResults } from './sorted-results.ts';

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MAX_LINE_BYTES = 2_000;

export interface LocalSearchOptions {
  readonly guard: PathGuard;
  /** Default: the binary that is installed with this package. */
  readonly ripgrepPath: string | undefined;
}

/** Search by ripgrep, which never sees a shell and never a pattern as an option. */
export class LocalSearch {
  readonly #guard: PathGuard;
  readonly #ripgrepPath: string | undefined;
  readonly #closing = new AbortController();

  constructor({ guard, ripgrepPath }: LocalSearchOptions) {
    this.#guard = guard;
    this.#ripgrepPath = ripgrepPath;
  }

  /** Ends the searches that are running. */
  close(): void {
    this.#closing.abort();
  }

  async glob(options: GlobOptions): Promise<GlobResult> {
    const pattern = new PathPattern(options.pattern);
    const place = this.#place(options);
    if (!place.isDirectory) throw new NotADirectoryError({ path: place.absolute });
    const found = new SortedPaths(options);
    const narrowed = narrowPlace(this.#guard, place, pattern.fixedDirectory);
    if (narrowed === undefined) return { paths: [], isTruncated: false, isIncomplete: false, problems: [] };
    const onOutput = readPaths((paths) =>
      found.add(paths.filter((path) => pattern.matches(path, place.prefix.length))),
    );
    const outcome = await this.#run(narrowed, options, globArguments(narrowed, options), onOutput);
    return { ...takePaths(found, place), ...outcome };
  }

  async grep(options: GrepOptions): Promise<GrepResult> {
    if (options.pattern.includes('\0')) {
      throw new PatternInvalidError({ pattern: options.pattern, reason: 'it has a NUL byte.' });
    }
    const filter = new FileFilter(options.glob);
    const place = this.#place(options);
    switch (options.mode) {
      case 'lines':
        return this.#grepLines(place, filter, options);
      case 'files':
        return this.#grepFiles(place, filter, options);
      case 'counts':
        return this.#grepCounts(place, filter, options);
    }
  }

  async #grepLines(place: SearchPlace, filter: FileFilter, options: GrepOptions): Promise<GrepResult> {
    const found = new SortedResults<GrepLine>(options);
    const maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    const messages: string[] = [];
    let current: { readonly path: string; readonly absolute: string; readonly lines: GrepLine[] } | undefined;
    const endFile = (): void => {
      if (current !== undefined) found.add(current.path, current.lines);
      current = undefined;
    };
    const handlers: LineHandlers = {
      onFile: (path) => {
        endFile();
        if (!found.wants(path) || !filter.matches(path, place.prefix.length)) return false;
        current = { path, absolute: absolutePath(place, path), lines: [] };
        return true;
      },
      onLine: (output) => {
        if (current === undefined || current.lines.length >= found.needed) return;
        const { text, isCut } = cutLine(output.bytes, output, maxLineBytes);
        const isContext = output.column === undefined;
        current.lines.push({ path: current.absolute, line: output.line, text, isContext, isCut });
      },
      onMessage: (message) => messages.push(message),
    };
    const reader = new LineReader(handlers, { maxShownBytes: maxLineBytes });
    const args = grepArguments(place, filter, options, found.needed);
    const outcome = await this.#run(place, options, args, (chunk) => reader.read(chunk));
    reader.end();
    endFile();
    const { items, isTruncated } = found.take();
    return {
      mode: 'lines',
      lines: items,
      isTruncated,
      isIncomplete: outcome.isIncomplete || messages.length > 0,
      problems: [...outcome.problems, ...messages],
    };
  }

  async #grepFiles(place: SearchPlace, filter: FileFilter, options: GrepOptions): Promise<GrepResult> {
    const found = new SortedPaths(options);
    const onOutput = readPaths((paths) => found.add(paths.filter((path) => filter.matches(path, place.prefix.length))));
    const outcome = await this.#run(place, options, grepArguments(place, filter, options), onOutput);
    return { mode: 'files', ...takePaths(found, place), ...outcome };
  }

  async #grepCounts(place: SearchPlace, filter: FileFilter, options: GrepOptions): Promise<GrepResult> {
    const found = new SortedResults<{ readonly path: string; readonly count: number }>(options);
    const reader = new LineReader({
      onFile: (path) => found.wants(path) && filter.matches(path, place.prefix.length),
      onLine: ({ path, line }) => found.add(path, [{ path: absolutePath(place, path), count: line }]),
      onMessage: () => undefined,
    });
    const args = grepArguments(place, filter, options);
    const outcome = await this.#run(place, options, args, (chunk) => reader.read(chunk));
    const { items, isTruncated } = found.take();
    return { mode: 'counts', counts: items, isTruncated, ...outcome };
  }

  #place(options: SearchOptions): SearchPlace {
    throwIfAborted(options.signal, 'search', options.path ?? this.#guard.workdir);
    return findPlace(this.#guard, options.path);
  }

  async #run(
    place: SearchPlace,
    options: SearchOptions & { readonly pattern: string },
    args: readonly string[],
    onOutput: (chunk: Buffer) => void,
  ): Promise<RipgrepOutcome> {
    const closing = this.#closing.signal;
    return runRipgrep({
      binary: this.#ripgrepPath ?? (await installedRipgrep()),
      args: [...args, '--', place.argument],
      cwd: place.cwd,
      pattern: options.pattern,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      signal: options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]),
      onOutput,
    });
  }
}

/** @param path as in the output, with `./` at its head */
function absolutePath({ cwd }: SearchPlace, path: string): string {
  return (cwd === '/' ? '' : cwd) + path.slice(1);
}

function takePaths(
  found: SortedPaths,
  place: SearchPlace,
): { readonly paths: readonly string[]; readonly isTruncated: boolean } {
  const { paths, isTruncated } = found.take();
  return { paths: paths.map((path) => absolutePath(place, path)), isTruncated };
}
