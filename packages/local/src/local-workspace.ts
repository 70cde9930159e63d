import { constants } from 'node:fs';
import { access, lstat, realpath, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type Backend,
  type HostDirectory,
  makeHostDirectory,
  type McpClientContext,
  type McpDeclaration,
  type MCPClient,
  onHostWorkdir,
  removeTree,
  type StartedBackend,
  takeBackHostDirectory,
  WorkdirInvalidError,
  WorkspaceBase,
  type WorkspaceOptions,
} from '@agent-workspace/core';
import { DirectMCPClient } from '@agent-workspace/mcp';
import { translating } from './files/translate-error.ts';
import { LocalBackend } from './local-backend.ts';

export interface LocalWorkspaceOptions extends WorkspaceOptions {
  /** The directory to work in; made if it is not there. A relative path is taken from the current directory. */
  readonly workdir: string;
  /** Other directories that the file tools may use. Bash is not confined. */
  readonly roots?: readonly string[] | undefined;
  /** Environment variables that every command gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An rg binary to search with. Default: the one that comes with this package. */
  readonly ripgrepPath?: string | undefined;
  /** Milliseconds that an MCP server may take to start. Default 60,000. */
  readonly mcpConnectTimeoutMs?: number | undefined;
}

/**
 * A workspace in a directory of this machine. It is no sandbox: what confines the file tools stops
 * mistakes, while Bash and MCP servers can do all that this user can.
 */
export class LocalWorkspace extends WorkspaceBase {
  readonly isPersistent = true;
  readonly #options: LocalWorkspaceOptions;
  readonly #directory: string;
  /** Where its files are, since it was opened. */
  #opened: string | undefined;

  constructor(options: LocalWorkspaceOptions) {
    super(options);
    this.#options = options;
    this.#directory = resolve(options.workdir);
  }

  /**
   * Makes a workspace and initializes it.
   *
   * @throws `workdir-invalid`, `state-file-invalid`, `mcp-declaration-invalid`
   */
  static async open(
    options: LocalWorkspaceOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<LocalWorkspace> {
    const workspace = new LocalWorkspace(options);
    await workspace.initialize({ signal: options.signal });
    return workspace;
  }

  protected override async startBackend(): Promise<StartedBackend> {
    const workdir = this.#directory;
    const directory = await prepareDirectory(workdir);
    const { roots, env, ripgrepPath } = this.#options;
    const backend = new LocalBackend({
      workdir,
      logger: this.logger,
      ...(roots !== undefined && { roots: roots.map((root) => resolve(root)) }),
      ...(env !== undefined && { env }),
      ...(ripgrepPath !== undefined && { ripgrepPath }),
    });
    this.#opened = await realpath(workdir);
    return { backend, undo: () => takeBackHostDirectory(directory, { withContent: true }) };
  }

  protected override async stopBackend(backend: Backend): Promise<void> {
    await backend.close();
  }

  protected override async destroyBackend(): Promise<void> {
    const workdir = this.#directory;
    const opened = this.#opened;
    // A link that was opened leads to the data; one that is found instead may be an agent's, and lead anywhere.
    if (opened === undefined && (await isLink(workdir))) throw new WorkdirInvalidError({ workdir, reason: 'link' });
    await translating('remove', workdir, async () => {
      await removeTree(opened ?? workdir);
      if (await isLink(workdir)) await rm(workdir, { force: true });
    });
  }

  protected override createMcpClient(declaration: McpDeclaration, context: McpClientContext): MCPClient {
    return new DirectMCPClient({
      declaration,
      cwd: context.backend.workdir,
      secrets: context.secrets,
      logger: context.logger,
      onStateChange: context.onStateChange,
      connectTimeoutMs: this.#options.mcpConnectTimeoutMs,
    });
  }
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

/** @throws `workdir-invalid` */
function prepareDirectory(workdir: string): Promise<HostDirectory> {
  return onHostWorkdir(workdir, async () => {
    const directory = await makeHostDirectory(workdir);
    if (!(await stat(workdir)).isDirectory()) throw new WorkdirInvalidError({ workdir, reason: 'not-a-directory' });
    await access(workdir, constants.R_OK | constants.W_OK | constants.X_OK);
    return directory;
  });
}
