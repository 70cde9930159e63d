import { posix } from 'node:path';
import { NOISE_NAMES } from '../backend/trees.ts';
import { LockLostError } from '../errors/lock-lost-error.ts';
import { PathOutsideRootError } from '../errors/path-outside-root-error.ts';
import { PermissionDeniedError } from '../errors/permission-denied-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { Diagnostic } from '../events/diagnostics.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { LockGuard } from '../state/workspace-lock.ts';
import { newPartitionName, partitionsOf } from './partition-names.ts';
import { MAX_TREE_BYTES, SKILL_FILE } from './skill-limits.ts';
import { assignNames, updateIndex } from './skill-listing.ts';
import {
  DEFAULT_PARTITION,
  flatLocation,
  INDEX_NAME,
  partitionLocation,
  SEED_DIRECTORY,
  type SkillLocation,
} from './skill-location.ts';
import { type SkillScan, SkillScanner, skillWarning } from './skill-scan.ts';
import type { SkillStaging } from './skill-staging.ts';
import { sortOutLinks } from './source-tree.ts';

/** A directory of skills and what is in it; no scan where the directory is still to be made. */
export interface ScannedLocation {
  readonly location: SkillLocation;
  readonly scan: SkillScan | undefined;
}

/**
 * Where the skills of a workspace are, in both of AgentScope's forms.
 *
 * The template is the folders in `skills/`, or `skills/.seed`; beside it each agent has a directory
 * with its own copy, and unscoped callers of AgentScope have `default`.
 */
export class SkillDirectories {
  readonly #context: WorkspaceContext;
  readonly #scanner: SkillScanner;
  /** Folder names that agents were seen to have. */
  readonly #known = new Map<string, string>();

  constructor(context: WorkspaceContext) {
    this.#context = context;
    this.#scanner = new SkillScanner(context.backend);
  }

  /** What unscoped callers read. */
  async readable(): Promise<ScannedLocation> {
    const top = await this.#scanTop();
    return hasDefault(top) ? this.#scanPartition(DEFAULT_PARTITION) : this.#template(top);
  }

  /** What unscoped callers change; the one that they read comes last. */
  async changeable(): Promise<readonly ScannedLocation[]> {
    const top = await this.#scanTop();
    const template = await this.#template(top);
    return hasDefault(top) ? [template, await this.#scanPartition(DEFAULT_PARTITION)] : [template];
  }

  /** What an agent has; `undefined` if it has nothing of its own yet. */
  async partition(agentId: string): Promise<ScannedLocation | undefined> {
    const known = this.#known.get(agentId);
    if (known !== undefined) {
      const scanned = await this.#scanPartition(known);
      if (scanned.scan?.isSkill === false) return scanned;
      this.#known.delete(agentId);
    }
    const [name] = await this.partitionNames(agentId);
    if (name === undefined) return undefined;
    this.#known.set(agentId, name);
    return this.#scanPartition(name);
  }

  /** The folders in `skills/` that are this agent's. */
  async partitionNames(agentId: string): Promise<readonly string[]> {
    const top = await this.#scanTop();
    return top === undefined ? [] : partitionsOf(agentId, top);
  }

  /** Gives an agent its own copy of the template, whole or not at all. */
  async makePartition(agentId: string, staging: SkillStaging, guard: LockGuard): Promise<ScannedLocation> {
    const { backend, layout } = this.#context;
    const top = await this.#scanTop();
    if (top === undefined) await backend.makeDirectory(layout.skillsDirectory);
    const name = newPartitionName(agentId, top?.entryNames ?? []);
    const copy = staging.newPath();
    await backend.makeDirectory(copy);
    const { scan } = await this.#template(top);
    if (scan !== undefined) await this.#copyTemplate(scan, copy, guard);
    await backend.rename(copy, posix.join(layout.skillsDirectory, name), guard);
    this.#known.set(agentId, name);
    return this.#scanPartition(name);
  }

  async #copyTemplate(template: SkillScan, copy: string, guard: LockGuard): Promise<void> {
    const { backend, diagnostics, sync } = this.#context;
    const folders = new Set<string>();
    for (const folder of template.skillFolders) {
      const from = posix.join(template.location.directory, folder);
      try {
        await this.#copySkill(from, posix.join(copy, folder), guard);
        folders.add(folder);
      } catch (error) {
        if (!WorkspaceError.isInstance(error) || LockLostError.isInstance(error)) throw error;
        const reason = `an agent's copy was made without it: ${error.message}`;
        diagnostics.add({ kind: 'skill', path: from, reason, severity: 'error' });
      }
    }
    const index = updateIndex(template.index, {
      folders,
      skills: template.skills.filter(({ folder }) => folders.has(folder)),
      names: assignNames(template.skills, template.index),
    });
    const stat = await backend.stat(copy);
    await backend.writeFile(posix.join(copy, INDEX_NAME), index.stringify(stat?.modifiedMs ?? 0), { ...guard, sync });
  }

  async #copySkill(from: string, to: string, guard: LockGuard): Promise<void> {
    const { backend, diagnostics, sync } = this.#context;
    const options = { ...guard, sync };
    try {
      await backend.copyTree(from, to, { ...options, ignoreNames: NOISE_NAMES });
    } catch (error) {
      if (!PathOutsideRootError.isInstance(error)) throw error;
      // Somebody made a link that leads out of the skill. It does not come along; the rest does.
      const entries = await backend.readTree(from, { ignoreNames: NOISE_NAMES, maxFileBytes: MAX_TREE_BYTES });
      const unread = entries.find((entry) => entry.kind === 'file' && entry.bytes.byteLength !== entry.stat?.sizeBytes);
      if (unread !== undefined) {
        throw new PermissionDeniedError({ path: posix.join(from, unread.path), operation: 'read' }, { cause: error });
      }
      const { kept, dropped } = sortOutLinks(entries);
      for (const { path, reason } of dropped) {
        diagnostics.add({ kind: 'skill', path: posix.join(from, path), reason, severity: 'warning' });
      }
      await backend.writeTree(to, kept, options);
    }
  }

  /** `skills/` itself: folders with a SKILL.md are skills, the others are agents' own. */
  async #scanTop(): Promise<SkillScan | undefined> {
    return this.#scanner.scan(flatLocation(this.#context.layout));
  }

  async #template(top: SkillScan | undefined): Promise<ScannedLocation> {
    if (top?.otherFolders.has(SEED_DIRECTORY) !== true)
      return { location: flatLocation(this.#context.layout), scan: top };
    const { location, scan } = await this.#scanPartition(SEED_DIRECTORY);
    const strays = [...top.skillFolders].map((folder) => stray(top.location.directory, folder));
    return { location, scan: scan && { ...scan, diagnostics: [...scan.diagnostics, ...strays] } };
  }

  async #scanPartition(name: string): Promise<ScannedLocation> {
    const location = partitionLocation(this.#context.layout, name);
    const scan = await this.#scanner.scan(location);
    if (scan === undefined) return { location, scan };
    const bare = [...scan.otherFolders].filter((folder) => !folder.startsWith('.') && !NOISE_NAMES.includes(folder));
    const path = (folder: string): string => posix.join(location.directory, folder);
    const found = bare.map((folder) => skillWarning(path(folder), `it is no skill: it has no ${SKILL_FILE}`));
    return { location, scan: { ...scan, diagnostics: [...scan.diagnostics, ...found] } };
  }
}

function hasDefault(top: SkillScan | undefined): boolean {
  return top?.otherFolders.has(DEFAULT_PARTITION) === true;
}

function stray(directory: string, folder: string): Diagnostic {
  const seed = posix.join(directory, SEED_DIRECTORY, folder);
  const reason = `it is not listed, since the skills of this workspace are in ${SEED_DIRECTORY}: move it to ${seed}`;
  return skillWarning(posix.join(directory, folder), reason);
}
