import { posix } from 'node:path';
import { z } from 'zod';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { NotAFileError } from '../errors/not-a-file-error.ts';
import { PermissionDeniedError } from '../errors/permission-denied-error.ts';
import { SearchUnavailableError } from '../errors/search-unavailable-error.ts';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { lazy } from '../lazy.ts';
import { readStateFile } from '../state/state-file.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import { MEDIA_URL_PREFIX } from './media-store.ts';

/** Media live this long after the last session that refers to them. */
const GRACE_MS = 24 * 60 * 60 * 1000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const NAME = new RegExp(`${MEDIA_URL_PREFIX}([0-9a-f]{64}\\.[a-z0-9]{1,8})`, 'g');

/** Names of media, and when they may go (milliseconds since the epoch). */
const dueSchema = lazy(() => z.record(z.string(), z.number()));
type Due = Readonly<Record<string, number>>;

/** The media that sessions refer to. */
interface References {
  readonly names: ReadonlySet<string>;
  /** Why there may be more. */
  readonly problem: string | undefined;
}

/**
 * Removes media that no session refers to any more, a day after their session went. Media that no
 * session ever referred to are left alone.
 */
export class MediaCleanup {
  readonly #context: WorkspaceContext;
  readonly #path: string;

  constructor(context: WorkspaceContext) {
    this.#context = context;
    this.#path = posix.join(context.layout.stateDirectory, 'media-cleanup.json');
  }

  /** Puts down what a session that is about to go refers to. */
  async noteSession(directory: string): Promise<void> {
    const { names, problem } = await this.#referencesIn(directory);
    if (problem !== undefined) this.#context.logger.warn('media of a session may never be cleaned up', { problem });
    if (names.size === 0) return;
    const dueAt = Date.now() + GRACE_MS;
    await this.#change((due) => ({ ...due, ...Object.fromEntries([...names].map((name) => [name, dueAt])) }));
  }

  /** Removes what is due and that no session refers to. Nothing goes unless all that sessions refer to is known. */
  async run(): Promise<void> {
    const { backend, layout } = this.#context;
    const now = Date.now();
    const isDue = ([, dueAt]: readonly [string, number]): boolean => dueAt <= now;
    if (!Object.entries(await this.#read()).some(isDue)) return;
    const { names: kept, problem } = await this.#referencesIn(layout.sessionsDirectory);
    if (problem !== undefined) {
      this.#context.logger.warn('media are not cleaned up', { problem });
      return;
    }
    await this.#change(async (due) => {
      for (const [name] of Object.entries(due).filter(isDue)) {
        const path = posix.join(layout.dataDirectory, name);
        const stat = await backend.stat(path, { noFollow: true });
        // Offloaded again in the meantime, by someone who is yet to write down the reference.
        const isRecent = stat !== undefined && now - stat.modifiedMs < GRACE_MS;
        if (!kept.has(name) && !isRecent) await backend.remove(path);
      }
      return Object.fromEntries(Object.entries(due).filter((entry) => !isDue(entry)));
    });
  }

  /** Every file is read: to a search, one with a NUL byte in it is binary, and so has no lines to find anything in. */
  async #referencesIn(directory: string): Promise<References> {
    const names = new Set<string>();
    let problem: string | undefined;
    try {
      const files = await this.#context.backend.glob({ pattern: '**/*', path: directory, includeIgnored: true });
      if (files.isIncomplete || files.isTruncated) problem = files.problems[0] ?? 'the list of files is cut';
      for (const path of files.paths) problem = (await this.#collectNames(path, names)) ?? problem;
    } catch (error) {
      if (SearchUnavailableError.isInstance(error)) problem = error.message;
      else if (!FileNotFoundError.isInstance(error)) throw error;
    }
    return { names, problem };
  }

  /** @returns why the file could not be read */
  async #collectNames(path: string, names: Set<string>): Promise<string | undefined> {
    try {
      let rest = '';
      for await (const chunk of await this.#context.backend.openRead(path, { noFollow: true })) {
        const text = rest + Buffer.from(chunk).toString('latin1');
        for (const [, name] of text.matchAll(NAME)) if (name !== undefined) names.add(name);
        rest = text.slice(-128);
      }
      return undefined;
    } catch (error) {
      if (PermissionDeniedError.isInstance(error)) return error.message;
      // Its session went meanwhile, or something else has its name now.
      if (FileNotFoundError.isInstance(error) || NotAFileError.isInstance(error)) return undefined;
      throw error;
    }
  }

  async #read(): Promise<Due> {
    try {
      const text = await readStateFile(this.#context.backend, this.#path, MAX_FILE_BYTES);
      return text === undefined ? {} : dueSchema().parse(JSON.parse(text));
    } catch (error) {
      if (
        !StateFileInvalidError.isInstance(error) &&
        !(error instanceof SyntaxError) &&
        !(error instanceof z.ZodError)
      ) {
        throw error;
      }
      const reason = 'the list of media to clean up cannot be read; they stay until they are removed by hand';
      this.#context.diagnostics.add({ kind: 'media', path: this.#path, reason, severity: 'warning' });
      return {};
    }
  }

  async #change(change: (due: Due) => Due | Promise<Due>): Promise<void> {
    const { backend, lock, sync } = this.#context;
    await lock.run(async (guard) => {
      const next = await change(await this.#read());
      await backend.writeFile(this.#path, `${JSON.stringify(next)}\n`, { ...guard, noFollow: true, sync });
    });
  }
}
