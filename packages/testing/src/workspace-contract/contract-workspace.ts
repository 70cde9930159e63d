import type { Workspace, WorkspaceOptions } from '@agent-workspace/core';
import { afterEach } from 'vitest';
import type { FixtureServerName } from '../mcp-servers/fixture-server.ts';

/** How the workspace contract makes workspaces of an engine. */
export interface WorkspaceContractOptions {
  /**
   * A new workspace object, not initialized. `place` names where its data are: another name is an
   * empty place, the same name again is another object on the same data.
   */
  create(place: string, options: WorkspaceOptions): Promise<Workspace>;
  /** Removes a place and all that is in it, when every workspace on it is closed. */
  cleanUp(place: string): Promise<void>;
  /** How a fixture server is started where the workspace runs its own. Default: `fixtureServer`, as on this host. */
  readonly fixtureServer?:
    | ((name: FixtureServerName, argument?: string) => { command: string; args: string[] })
    | undefined;
}

/** Makes the workspaces of one test, and ends them with it. */
export class WorkspaceMaker {
  readonly #options: WorkspaceContractOptions;
  readonly #made: Workspace[] = [];
  readonly #places = new Set<string>();
  #count = 0;

  constructor(options: WorkspaceContractOptions) {
    this.#options = options;
  }

  /** A name for an empty place. */
  place(): string {
    this.#count += 1;
    return `place-${process.pid}-${Date.now().toString(36)}-${this.#count}`;
  }

  async create(options: WorkspaceOptions = {}, place: string = this.place()): Promise<Workspace> {
    this.#places.add(place);
    const workspace = await this.#options.create(place, options);
    this.#made.push(workspace);
    return workspace;
  }

  /** As `create`, and initialized. */
  async open(options: WorkspaceOptions = {}, place?: string): Promise<Workspace> {
    const workspace = await this.create(options, place);
    await workspace.initialize();
    return workspace;
  }

  async cleanUp(): Promise<void> {
    await Promise.all(this.#made.splice(0).map((workspace) => workspace.close()));
    for (const place of this.#places) await this.#options.cleanUp(place);
    this.#places.clear();
  }
}

/** A maker for the tests of the surrounding `describe`, emptied after each of them. */
export function useWorkspaces(options: WorkspaceContractOptions): WorkspaceMaker {
  const maker = new WorkspaceMaker(options);
  afterEach(() => maker.cleanUp());
  return maker;
}

/** The text of a file of the workspace. */
export async function readText(workspace: Workspace, path: string): Promise<string> {
  const { bytes } = await workspace.backend.readFile(path);
  return Buffer.from(bytes).toString('utf8');
}

/** The names in a directory of the workspace; none if it is not there. */
export async function namesIn(workspace: Workspace, path: string): Promise<readonly string[]> {
  if ((await workspace.backend.stat(path)) === undefined) return [];
  return (await workspace.backend.readDirectory(path)).map((entry) => entry.name);
}
