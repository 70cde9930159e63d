import { posix } from 'node:path';
import { NOISE_NAMES } from '../backend/trees.ts';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { LimitExceededError } from '../errors/limit-exceeded-error.ts';
import { PermissionDeniedError } from '../errors/permission-denied-error.ts';
import { SkillNotFoundError } from '../errors/skill-not-found-error.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { LockGuard } from '../state/workspace-lock.ts';
import type { SkillDocument } from './skill-document.ts';
import { SkillIndex } from './skill-index.ts';
import { MAX_SKILLS } from './skill-limits.ts';
import { assignNames, toSkill, updateIndex } from './skill-listing.ts';
import { DEFAULT_PARTITION, type SkillLocation } from './skill-location.ts';
import { firstFreeFolder, firstFreeName, foldName, folderNameFor } from './skill-names.ts';
import type { ScannedSkill, SkillScan } from './skill-scan.ts';
import type { Skill } from './skill.ts';

export interface SkillEditorInit {
  readonly context: WorkspaceContext;
  /** Of the lock that is held as long as the editor is used. */
  readonly guard: LockGuard;
  readonly location: SkillLocation;
  /** `undefined` for a directory that is still to be made. */
  readonly scan: SkillScan | undefined;
}

/** A skill that lies complete beside the directory it is for. */
export interface StagedSkill {
  readonly directory: string;
  readonly treeHash: string;
  readonly document: SkillDocument;
}

/** Changes a directory of skills and brings its index up to date, all under the workspace's lock. */
export class SkillEditor {
  readonly #context: WorkspaceContext;
  readonly #guard: LockGuard;
  readonly #location: SkillLocation;
  readonly #skills: Map<string, ScannedSkill>;
  readonly #skillFolders: Set<string>;
  readonly #names: Map<string, string>;
  /** Of everything in the directory, folded. */
  readonly #takenFolders: Set<string>;
  readonly #treeHashes = new Map<string, string>();
  #index: SkillIndex;
  #isIndexBroken: boolean;

  private constructor({ context, guard, location, scan }: SkillEditorInit) {
    this.#context = context;
    this.#guard = guard;
    this.#location = location;
    this.#index = scan?.index ?? SkillIndex.empty();
    this.#isIndexBroken = scan?.isIndexBroken ?? false;
    const skills = scan?.skills ?? [];
    this.#skills = new Map(skills.map((skill) => [skill.folder, skill]));
    this.#skillFolders = new Set(scan?.skillFolders);
    this.#names = new Map(assignNames(skills, this.#index));
    this.#takenFolders = new Set([...(scan?.entryNames ?? []), DEFAULT_PARTITION].map(foldName));
  }

  static async open(init: SkillEditorInit): Promise<SkillEditor> {
    if (init.scan === undefined) await init.context.backend.makeDirectory(init.location.directory);
    return new SkillEditor(init);
  }

  /** A skill here with the same files, if there is one. */
  async findSame({ document, treeHash }: StagedSkill): Promise<Skill | undefined> {
    for (const skill of this.#skills.values()) {
      if (skill.document.hash !== document.hash) continue;
      const directory = posix.join(this.#location.directory, skill.folder);
      if ((await this.#hash(directory)) === treeHash) return this.#toSkill(skill);
    }
    return undefined;
  }

  /** `undefined` for a folder with something in it that cannot be read: no skill is the same as that. */
  async #hash(directory: string): Promise<string | undefined> {
    try {
      return await this.#context.backend.hashTree(directory, { ignoreNames: NOISE_NAMES });
    } catch (error) {
      if (!PermissionDeniedError.isInstance(error)) throw error;
      this.#context.logger.warn('A skill was not compared with a new one.', { directory, error });
      return undefined;
    }
  }

  /** Moves a staged skill in, under a name and a folder that are free. @throws `limit-exceeded` */
  async add({ directory, treeHash, document }: StagedSkill): Promise<Skill> {
    if (this.#skillFolders.size >= MAX_SKILLS) {
      const what = `The number of skills in ${this.#location.directory}`;
      throw new LimitExceededError({ what, limit: MAX_SKILLS, actual: this.#skillFolders.size + 1 });
    }
    const names = new Set(this.#names.values());
    const name = firstFreeName(document.name, (candidate) => names.has(candidate));
    const folder = firstFreeFolder(folderNameFor(document.name), (candidate) =>
      this.#takenFolders.has(foldName(candidate)),
    );
    await this.#context.backend.rename(directory, posix.join(this.#location.directory, folder), this.#guard);
    const skill = { folder, document };
    this.#skills.set(folder, skill);
    this.#skillFolders.add(folder);
    this.#names.set(folder, name);
    this.#takenFolders.add(foldName(folder));
    this.#treeHashes.set(folder, treeHash);
    return this.#toSkill(skill);
  }

  has(name: string): boolean {
    return [...this.#names.values()].includes(name);
  }

  /**
   * Takes a skill out by moving its folder away, so that no one sees half of it.
   *
   * @param destination a path that is free, to be removed by the caller
   * @throws `skill-not-found`
   */
  async takeOut(name: string, destination: string): Promise<void> {
    const [folder] = [...this.#names].find(([, taken]) => taken === name) ?? [];
    if (folder === undefined) throw new SkillNotFoundError({ name });
    await this.#context.backend.rename(posix.join(this.#location.directory, folder), destination, this.#guard);
    this.#skills.delete(folder);
    this.#skillFolders.delete(folder);
    this.#names.delete(folder);
  }

  /** Writes the index: what was changed here, and by hand since it was last written. */
  async commit(): Promise<void> {
    const { backend, sync } = this.#context;
    const { directory, indexPath } = this.#location;
    if (this.#isIndexBroken) await this.#setBrokenIndexAside();
    const index = updateIndex(this.#index, {
      folders: this.#skillFolders,
      skills: this.#skills.values(),
      names: this.#names,
      treeHashes: this.#treeHashes,
    });
    const stat = await backend.stat(directory);
    if (stat === undefined) throw new FileNotFoundError({ path: directory });
    await backend.writeFile(indexPath, index.stringify(stat.modifiedMs), { ...this.#guard, noFollow: true, sync });
    this.#index = index;
  }

  /** What does not parse may still be worth something to somebody. */
  async #setBrokenIndexAside(): Promise<void> {
    const { backend, diagnostics } = this.#context;
    const { indexPath } = this.#location;
    let number = 1;
    while ((await backend.stat(`${indexPath}.broken-${number}`, { noFollow: true })) !== undefined) number += 1;
    const aside = `${indexPath}.broken-${number}`;
    await backend.rename(indexPath, aside, this.#guard);
    const reason = `it could not be used; it is kept as ${aside}, and a new one was written from the skills that are there`;
    diagnostics.add({ kind: 'state', path: indexPath, reason, severity: 'warning' });
    this.#isIndexBroken = false;
  }

  #toSkill(skill: ScannedSkill): Skill {
    return toSkill(this.#location.directory, skill, this.#names.get(skill.folder) ?? skill.document.name);
  }
}
