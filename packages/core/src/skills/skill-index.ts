import type { Backend } from '../backend/backend.ts';
import { StateFileInvalidError } from '../errors/state-file-invalid-error.ts';
import { parseJsonLosslessly } from '../state/json.ts';
import { readStateFile } from '../state/state-file.ts';
import { MAX_INDEX_BYTES } from './skill-limits.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What an index says of one skill; other fields are kept as they are. */
export interface SkillIndexEntry {
  /** SHA-256 of SKILL.md. */
  readonly hash: string;
  /** Unique within the index. */
  readonly skill_name: string;
  /** `Backend.hashTree` of the folder when it was added. AgentScope has no such field. */
  readonly tree_hash?: string | undefined;
}

/** The index of a directory of skills, `.skills` or `.index`, in AgentScope's form. Immutable. */
export class SkillIndex {
  readonly #root: JsonObject;
  readonly #skills: JsonObject;

  private constructor(root: JsonObject, skills: JsonObject) {
    this.#root = root;
    this.#skills = skills;
  }

  static empty(): SkillIndex {
    return new SkillIndex({}, {});
  }

  /** @throws `state-file-invalid` */
  static parse(text: string, path: string): SkillIndex {
    let root: unknown;
    try {
      root = parseJsonLosslessly(text);
    } catch (error) {
      throw new StateFileInvalidError({ path, reason: 'it is no JSON' }, { cause: error });
    }
    if (!isObject(root)) throw new StateFileInvalidError({ path, reason: 'it is no JSON object' });
    const skills = root['skills'] ?? {};
    if (!isObject(skills)) throw new StateFileInvalidError({ path, reason: 'its "skills" is no JSON object' });
    return new SkillIndex(root, skills);
  }

  /** An absent file is an empty index. @throws `state-file-invalid` */
  static async read(backend: Backend, path: string): Promise<SkillIndex> {
    const text = await readStateFile(backend, path, MAX_INDEX_BYTES);
    return text === undefined ? SkillIndex.empty() : SkillIndex.parse(text, path);
  }

  /** The entry of a folder; one that is not in the known form counts as none. */
  entry(folder: string): SkillIndexEntry | undefined {
    const entry = Object.hasOwn(this.#skills, folder) ? this.#skills[folder] : undefined;
    if (!isObject(entry)) return undefined;
    const { hash, skill_name: name } = entry;
    return typeof hash === 'string' && typeof name === 'string' && name !== ''
      ? (entry as unknown as SkillIndexEntry)
      : undefined;
  }

  /** Puts an entry, keeping its place and the fields that are not ours. */
  with(folder: string, entry: SkillIndexEntry): SkillIndex {
    const current = Object.hasOwn(this.#skills, folder) ? this.#skills[folder] : undefined;
    const { tree_hash: treeHash, ...known } = entry;
    const { tree_hash: _, ...kept } = isObject(current) ? current : {};
    const next = { ...kept, ...known, ...(treeHash === undefined ? {} : { tree_hash: treeHash }) };
    return this.#withSkills([...Object.entries(this.#skills), [folder, next]]);
  }

  /** Keeps only the entries of these folders. */
  only(folders: ReadonlySet<string>): SkillIndex {
    return this.#withSkills(Object.entries(this.#skills).filter(([folder]) => folders.has(folder)));
  }

  /** @param directoryModifiedMs the directory's modification time as observed */
  stringify(directoryModifiedMs: number): string {
    const changed = { skills_dir_mtime: directoryModifiedMs / 1_000, skills: this.#skills };
    return JSON.stringify({ ...changed, ...this.#root, ...changed }, null, 2);
  }

  #withSkills(entries: readonly (readonly [string, unknown])[]): SkillIndex {
    // Of two entries for one folder this keeps the place of the first and the value of the last.
    return new SkillIndex(this.#root, Object.fromEntries(entries));
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('rawJSON' in value);
}
