import { LimitExceededError } from '../errors/limit-exceeded-error.ts';
import { SkillNotFoundError } from '../errors/skill-not-found-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import type { LockGuard } from '../state/workspace-lock.ts';
import type { PreparedSkill } from './prepare-skill.ts';
import { openSeedSources, seedFailure } from './seed-source.ts';
import { type ScannedLocation, SkillDirectories } from './skill-directories.ts';
import { SkillEditor } from './skill-editor.ts';
import { listSkills } from './skill-listing.ts';
import { partitionLocation } from './skill-location.ts';
import type { SkillScan } from './skill-scan.ts';
import { openSkillSource } from './skill-source.ts';
import { SkillStaging } from './skill-staging.ts';
import type { Skill, SkillSource } from './skill.ts';

/**
 * The skills of a workspace, on its disk in AgentScope's form, for each agent its own.
 *
 * Reading takes no lock and writes nothing, but for an agent's first look, which makes its copy of
 * the template. What is changed by hand is there at the next look.
 */
export class SkillStore {
  readonly #context: WorkspaceContext;
  readonly #directories: SkillDirectories;
  /** By directory, the paths that its last scan had something to say about. */
  readonly #reported = new Map<string, ReadonlySet<string>>();

  constructor(context: WorkspaceContext) {
    this.#context = context;
    this.#directories = new SkillDirectories(context);
  }

  /**
   * Copies skills from the host into the template. One that cannot be used is in the diagnostics
   * and keeps no other from being copied; one that is there already is left alone, so that an
   * interrupted seeding can be taken up again.
   *
   * @param paths a skill's folder, or one that holds several, each
   */
  async seed(paths: readonly string[]): Promise<void> {
    const { skills, diagnostics } = await openSeedSources(paths);
    for (const diagnostic of diagnostics) this.#context.diagnostics.add(diagnostic);
    if (skills.length === 0) return;
    await this.#change(async (guard, staging) => {
      for (const target of await this.#directories.changeable()) {
        const editor = await this.#edit(target, guard);
        for (const skill of skills) await this.#seedOne(editor, skill, staging);
        await editor.commit();
      }
    });
  }

  /** @param agentId whose copy; without one, the template, or `default` where AgentScope made that */
  async list(agentId?: string): Promise<readonly Skill[]> {
    const { scan } =
      agentId === undefined
        ? await this.#directories.readable()
        : ((await this.#directories.partition(agentId)) ?? (await this.#equip(agentId)));
    if (scan === undefined) return [];
    this.#report(scan);
    return listSkills(scan);
  }

  /**
   * Copies a skill from the host. One with the same files that is there already is given back.
   *
   * @throws `skill-invalid`, `archive-rejected`, `limit-exceeded`, and as the host or backend fails
   */
  async add(source: SkillSource, agentId?: string): Promise<Skill> {
    await using skill = await openSkillSource(source);
    const added = await this.#change(async (guard, staging) => {
      let last: Skill | undefined;
      for (const target of await this.#targets(agentId, guard, staging)) {
        const editor = await this.#edit(target, guard);
        const staged = await staging.write(skill);
        last = await editor.findSame(staged);
        if (last !== undefined) continue;
        last = await editor.add(staged);
        await editor.commit();
      }
      return last;
    });
    this.#context.diagnostics.replace('skill', skill.origin, skill.diagnostics);
    // There is always a target.
    return added as Skill;
  }

  /** Removes a listed skill by its name. @throws `skill-not-found` */
  async remove(name: string, agentId?: string): Promise<void> {
    await this.#change(async (guard, staging) => {
      let isRemoved = false;
      for (const target of await this.#targets(agentId, guard, staging)) {
        const editor = await this.#edit(target, guard);
        if (!editor.has(name)) continue;
        await editor.takeOut(name, staging.newPath());
        await editor.commit();
        isRemoved = true;
      }
      if (!isRemoved) throw new SkillNotFoundError({ name });
    });
  }

  /** Removes an agent's own copy. Its next look makes a new one. */
  async purgeAgent(agentId: string): Promise<void> {
    await this.#change(async (guard, staging) => {
      for (const name of await this.#directories.partitionNames(agentId)) {
        const { directory } = partitionLocation(this.#context.layout, name);
        await this.#context.backend.rename(directory, staging.newPath(), guard);
        this.#forget(directory);
      }
    });
  }

  /** Removes every skill, of all agents. */
  async clear(): Promise<void> {
    const { backend, diagnostics, layout } = this.#context;
    await this.#change(async (guard, staging) => {
      const { skillsDirectory } = layout;
      if ((await backend.stat(skillsDirectory, { noFollow: true })) === undefined) return;
      await backend.rename(skillsDirectory, staging.newPath(), guard);
      await backend.makeDirectory(skillsDirectory);
      this.#reported.clear();
      diagnostics.replace('skill', skillsDirectory, []);
    });
  }

  async #change<T>(work: (guard: LockGuard, staging: SkillStaging) => Promise<T>): Promise<T> {
    return this.#context.lock.run(async (guard) => {
      await using staging = await SkillStaging.open(this.#context, guard);
      return await work(guard, staging);
    });
  }

  async #targets(
    agentId: string | undefined,
    guard: LockGuard,
    staging: SkillStaging,
  ): Promise<readonly ScannedLocation[]> {
    if (agentId === undefined) return this.#directories.changeable();
    const own = await this.#directories.partition(agentId);
    return [own ?? (await this.#directories.makePartition(agentId, staging, guard))];
  }

  async #equip(agentId: string): Promise<ScannedLocation> {
    return this.#change(async (guard, staging) => {
      // Another process may have been first.
      const own = await this.#directories.partition(agentId);
      return own ?? this.#directories.makePartition(agentId, staging, guard);
    });
  }

  async #edit({ location, scan }: ScannedLocation, guard: LockGuard): Promise<SkillEditor> {
    return SkillEditor.open({ context: this.#context, guard, location, scan });
  }

  /** Adds a skill unless it is there. What the workspace's own disk refuses is no fault of the skill. */
  async #seedOne(editor: SkillEditor, skill: PreparedSkill, staging: SkillStaging): Promise<void> {
    let sourceError: unknown;
    try {
      const staged = await staging.write(skill, (error) => (sourceError = error));
      if ((await editor.findSame(staged)) === undefined) await editor.add(staged);
    } catch (error) {
      const cause = sourceError ?? error;
      const isSkillsFault = sourceError !== undefined || LimitExceededError.isInstance(error);
      if (!isSkillsFault || !WorkspaceError.isInstance(cause)) throw error;
      this.#context.diagnostics.add(seedFailure(skill.origin, cause));
    }
  }

  /** Says what is wrong now, and takes back what no longer is. */
  #report({ location, diagnostics }: SkillScan): void {
    const paths = new Set(diagnostics.map(({ path }) => path));
    for (const path of new Set([...(this.#reported.get(location.directory) ?? []), ...paths])) {
      const current = diagnostics.filter((diagnostic) => diagnostic.path === path);
      this.#context.diagnostics.replace('skill', path, current);
    }
    this.#reported.set(location.directory, paths);
  }

  #forget(directory: string): void {
    this.#reported.delete(directory);
    this.#context.diagnostics.replace('skill', directory, []);
  }
}
