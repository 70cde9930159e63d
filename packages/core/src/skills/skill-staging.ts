import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { NOISE_NAMES, type TreeEntry } from '../backend/trees.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { LockGuard } from '../state/workspace-lock.ts';
import type { PreparedSkill } from './prepare-skill.ts';
import type { StagedSkill } from './skill-editor.ts';
import { toTreeEntries } from './source-tree.ts';

/**
 * A directory on the workspace's disk where no one looks for skills: what is to appear whole is
 * made here, and what is to vanish whole is moved here. It goes, with all that is in it, when it is
 * disposed of; what a crash left is gone after the next change.
 */
export class SkillStaging implements AsyncDisposable {
  readonly #context: WorkspaceContext;
  readonly #guard: LockGuard;
  readonly #directory: string;

  private constructor(context: WorkspaceContext, guard: LockGuard) {
    this.#context = context;
    this.#guard = guard;
    this.#directory = posix.join(context.layout.stateDirectory, 'skills');
  }

  static async open(context: WorkspaceContext, guard: LockGuard): Promise<SkillStaging> {
    const staging = new SkillStaging(context, guard);
    await context.backend.makeDirectory(staging.#directory);
    return staging;
  }

  newPath(): string {
    return posix.join(this.#directory, randomUUID());
  }

  /**
   * Writes a skill into the staging directory.
   *
   * @param onSourceError called with what kept the source from being read, before that is thrown
   */
  async write(skill: PreparedSkill, onSourceError?: (error: unknown) => void): Promise<StagedSkill> {
    const { backend, sync } = this.#context;
    const directory = this.newPath();
    await backend.writeTree(directory, reporting(toTreeEntries(skill.entries), onSourceError), {
      ...this.#guard,
      sync,
    });
    const treeHash = await backend.hashTree(directory, { ignoreNames: NOISE_NAMES });
    return { directory, treeHash, document: skill.document };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#context.backend.remove(this.#directory, { ...this.#guard, recursive: true });
    } catch (error) {
      // The change itself is done or has failed for its own reason; the next one clears this up.
      this.#context.logger.warn('The staging directory of skills was not removed.', { error, path: this.#directory });
    }
  }
}

async function* reporting(
  entries: AsyncIterable<TreeEntry>,
  onError: ((error: unknown) => void) | undefined,
): AsyncGenerator<TreeEntry> {
  try {
    yield* entries;
  } catch (error) {
    onError?.(error);
    throw error;
  }
}
