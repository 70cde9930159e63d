import { posix } from 'node:path';
import type { BackgroundProcess } from '../backend/background.ts';
import { WorkspaceMcps, type WorkspaceMcpsOptions } from '../mcp/workspace-mcps.ts';
import { ContextStore } from '../offload/context-store.ts';
import { MediaCleanup } from '../offload/media-cleanup.ts';
import { MediaStore } from '../offload/media-store.ts';
import { sessionDirectory } from '../offload/session-directory.ts';
import { ToolResultStore } from '../offload/tool-result-store.ts';
import { SkillStore } from '../skills/skill-store.ts';
import { KeyedMutex } from '../state/keyed-mutex.ts';
import { listDirectory } from '../state/list-directory.ts';
import type { WorkspaceContext } from '../state/workspace-context.ts';
import { createBuiltinTools } from '../tools/create-builtin-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { type Scope, scopeKey } from '../scope.ts';
import { workspaceInstructions } from './instructions.ts';

/** What Read may hand to the model. */
export interface ReadLimits {
  /** Media types such as `image/png` or `image/*`. */
  readonly mediaTypes?: readonly string[] | undefined;
  readonly maxMediaBytes?: number | undefined;
}

export interface WorkspacePartsOptions {
  readonly mcps: WorkspaceMcpsOptions;
  readonly reading: ReadLimits;
  readonly hold: () => Disposable;
  /** For a command that runs on when its call has ended. */
  readonly holdInBackground: () => Disposable;
}

/** All that an open workspace consists of, on one backend. */
export class WorkspaceParts {
  readonly context: WorkspaceContext;
  readonly mcps: WorkspaceMcps;
  readonly skills: SkillStore;
  readonly media: MediaStore;
  readonly contexts: ContextStore;
  readonly toolResults: ToolResultStore;
  readonly #options: WorkspacePartsOptions;
  readonly #cleanup: MediaCleanup;
  readonly #fileLocks = new KeyedMutex();
  readonly #tools = new Map<string, Promise<readonly Tool[]>>();
  /** Background commands that are this object's to end: started here, or left by a host that is gone. */
  readonly #background = new Set<BackgroundProcess>();

  constructor(context: WorkspaceContext, options: WorkspacePartsOptions) {
    this.context = context;
    this.#options = options;
    this.mcps = new WorkspaceMcps(context, options.mcps);
    this.skills = new SkillStore(context);
    this.media = new MediaStore(context);
    this.contexts = new ContextStore(context, this.media);
    this.toolResults = new ToolResultStore(context, this.media);
    this.#cleanup = new MediaCleanup(context);
  }

  instructions(): string {
    return workspaceInstructions(this.context.backend);
  }

  /** The tools of a scope, made once. */
  async toolsOf(scope: Scope): Promise<readonly Tool[]> {
    const key = scopeKey(scope);
    const existing = this.#tools.get(key);
    if (existing !== undefined) return existing;
    const made = this.#makeTools(scope);
    this.#tools.set(key, made);
    made.catch(() => this.#tools.delete(key));
    return made;
  }

  async #makeTools(scope: Scope): Promise<readonly Tool[]> {
    const { backend, layout, emit } = this.context;
    const recordDirectory =
      scope.sessionId === undefined
        ? layout.processesDirectory
        : posix.join(await sessionDirectory(this.context, scope.sessionId), 'processes');
    return createBuiltinTools({
      backend,
      layout,
      scope,
      fileLocks: this.#fileLocks,
      emit,
      hold: this.#options.hold,
      onBackground: (process) => this.watch(process),
      recordDirectory,
      ...this.#options.reading,
    });
  }

  /** Takes over the background commands that outlived an earlier host. Those of a living one are that one's. */
  async adoptBackground(): Promise<void> {
    const { lockOwner } = this.context.backend;
    for (const process of await this.#listBackground()) {
      if ((await process.state()).kind !== 'running') continue;
      const isOwned = process.owner !== undefined && (await lockOwner?.isAlive(process.owner)) === true;
      if (!isOwned) this.watch(process);
    }
  }

  /** Holds the workspace for as long as a background command runs, and tells of its end. */
  watch(process: BackgroundProcess): void {
    this.#background.add(process);
    const hold = this.#options.holdInBackground();
    const { emit, logger } = this.context;
    void process
      .wait()
      .then((state) => emit({ type: 'process-ended', number: process.number, logPath: process.logPath, state }))
      .catch((error: unknown) => logger.warn('could not follow a background command', { error, log: process.logPath }))
      .finally(() => hold[Symbol.dispose]());
  }

  /**
   * Ends every process; background commands are recorded as `closed`. When those end is for the backend
   * to say, which knows whether anyone else is at work in it.
   */
  async endProcesses(): Promise<void> {
    await this.mcps.close();
    await this.context.backend.endProcesses({ background: [...this.#background] });
    this.#background.clear();
  }

  /** Removes a session's files, its servers and what is declared for it. */
  async purgeSession(sessionId: string): Promise<void> {
    const { backend, lock } = this.context;
    const directory = await sessionDirectory(this.context, sessionId);
    await this.mcps.removeScopes((scope) => scope.sessionId === sessionId);
    // What an agent may have put there instead, a link say, is not looked into and just removed.
    if ((await backend.stat(directory, { noFollow: true }))?.kind === 'directory') {
      await this.#stopAll(await backend.listBackground({ recordDirectories: [posix.join(directory, 'processes')] }));
      await this.#cleanup.noteSession(directory);
    }
    await lock.run((guard) => backend.remove(directory, { ...guard, recursive: true }));
    for (const key of this.#tools.keys())
      if (isScopeOf(key, (scope) => scope[1] === sessionId)) this.#tools.delete(key);
    await this.#cleanup.run();
  }

  /** Removes an agent's skills, its servers and what is declared for it. */
  async purgeAgent(agentId: string): Promise<void> {
    await this.mcps.removeScopes((scope) => scope.agentId === agentId);
    await this.skills.purgeAgent(agentId);
    for (const key of this.#tools.keys()) if (isScopeOf(key, (scope) => scope[0] === agentId)) this.#tools.delete(key);
  }

  async cleanUpMedia(): Promise<void> {
    await this.#cleanup.run();
  }

  /** Back to an empty workspace; with `files`, all else in the workdir goes too. */
  async reset({ files = false }: { readonly files?: boolean | undefined }): Promise<void> {
    const { backend, layout, lock } = this.context;
    // Nothing that this workspace has started goes on in an empty one, whoever else is attached.
    await this.#stopAll([...this.#background]);
    await this.endProcesses();
    this.#tools.clear();
    await this.mcps.clear();
    await this.skills.clear();
    await lock.run(async (guard) => {
      const gone = [layout.sessionsDirectory, layout.dataDirectory];
      const keptState = new Set([layout.stateFile, layout.lockFile]);
      for (const { name } of await listDirectory(this.context, layout.stateDirectory)) {
        const path = posix.join(layout.stateDirectory, name);
        if (!keptState.has(path)) gone.push(path);
      }
      if (files) {
        const kept = new Set([layout.stateDirectory, layout.mcpFile, layout.skillsDirectory]);
        for (const { name } of await backend.readDirectory(layout.workdir)) {
          const path = posix.join(layout.workdir, name);
          if (!kept.has(path)) gone.push(path);
        }
      }
      for (const path of new Set(gone)) await backend.remove(path, { ...guard, recursive: true });
    });
  }

  /** Every record directory: the workspace's own and each session's. */
  async #listBackground(): Promise<readonly BackgroundProcess[]> {
    const { backend, layout } = this.context;
    const sessions = await listDirectory(this.context, layout.sessionsDirectory);
    const recordDirectories = [
      layout.processesDirectory,
      ...sessions
        .filter((entry) => entry.kind === 'directory')
        .map((entry) => posix.join(layout.sessionsDirectory, entry.name, 'processes')),
    ];
    return backend.listBackground({ recordDirectories });
  }

  async #stopAll(processes: readonly BackgroundProcess[]): Promise<void> {
    await Promise.all(processes.map((process) => process.stop({ reason: 'closed' })));
  }
}

function isScopeOf(key: string, test: (scope: readonly [string, string]) => boolean): boolean {
  return test(JSON.parse(key) as [string, string]);
}
