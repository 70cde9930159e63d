import { randomUUID } from 'node:crypto';
import {
  type Logger,
  MCPServerOptionsInvalidError,
  silentLogger,
  type Workspace,
  type WorkspaceSession,
} from '@agent-workspace/core';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { ProgressUpdate } from './call/call-progress.ts';
import { CallEvents } from './call/call-events.ts';
import { ToolCaller } from './call/tool-caller.ts';
import { lazyDescriptions } from './catalogue/lazy-tools.ts';
import { ToolCatalogue } from './catalogue/tool-catalogue.ts';
import { serverInstructions } from './content/instructions.ts';
import { OffloadedFiles } from './content/offloaded-files.ts';
import { getSkillPrompt, listSkillPrompts } from './content/skill-prompts.ts';
import {
  DEFAULT_MAX_MEDIA_BYTES,
  DEFAULT_MAX_RESULT_BYTES,
  MIN_RESULT_BYTES,
  type WorkspaceMcpOptions,
} from './mcp-server-options.ts';
import { packageVersion } from './package-version.ts';
import { WorkspaceStarter } from './workspace-starter.ts';

/** The first version of the protocol with links to resources in results. */
const LINKS_SINCE = '2025-06-18';

/** The least patient of the known clients gives up a list after some 30 s. */
const MAX_LIST_WAIT_MS = 20_000;

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
  logging: {},
};

/**
 * A workspace as an MCP server, for one connection: whatever the transport, one client, one
 * workspace. It answers at once what does not need the workspace, and starts it at the first call.
 */
export class WorkspaceMcpServer implements AsyncDisposable {
  readonly #options: WorkspaceMcpOptions;
  readonly #logger: Logger;
  readonly #server: Server;
  readonly #sessionId: string;
  readonly #events: CallEvents;
  readonly #files: OffloadedFiles;
  readonly #catalogue: ToolCatalogue;
  readonly #starter: WorkspaceStarter;
  readonly #caller: ToolCaller;
  readonly #closed: PromiseWithResolvers<void> = Promise.withResolvers();
  #takesLinks = true;
  #closing: Promise<void> | undefined;

  /** @throws `mcp-server-options-invalid` */
  constructor(options: WorkspaceMcpOptions) {
    const { logger = silentLogger, isReadOnly = false, isLazy = false } = options;
    const maxResultBytes = options.maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES;
    if (!(maxResultBytes >= MIN_RESULT_BYTES)) {
      const reason = `it is ${maxResultBytes}; give ${MIN_RESULT_BYTES} bytes at least.`;
      throw new MCPServerOptionsInvalidError({ option: 'maxResultBytes', reason });
    }
    this.#options = options;
    this.#logger = logger;
    this.#sessionId = options.scope?.sessionId ?? `mcp-${randomUUID()}`;
    this.#events = new CallEvents(this.#sessionId);
    this.#files = new OffloadedFiles(this.#sessionId);
    this.#server = this.#createServer(isReadOnly, isLazy);
    this.#catalogue = new ToolCatalogue({
      tools: options.tools,
      isReadOnly,
      logger,
      // The three tools stay the same, whatever they lead to.
      onToolsChanged: () => void (isLazy || this.#tell('tools', () => this.#server.sendToolListChanged())),
      onSkillsChanged: () => this.#tell('prompts', () => this.#server.sendPromptListChanged()),
      onProblem: (server, error) =>
        this.#warn(server, `The tools of the MCP server ${server} are missing: ${messageOf(error)}`, error),
    });
    this.#starter = new WorkspaceStarter({
      logger,
      open: (signal) => options.open({ signal, onEvent: this.#events.listener }),
      close: options.close ?? ((workspace) => workspace.close()),
      onStarted: (workspace) => this.#catalogue.attach(this.#sessionOf(workspace)),
    });
    this.#caller = new ToolCaller({
      catalogue: this.#catalogue,
      events: this.#events,
      files: this.#files,
      sessionId: this.#sessionId,
      isLazy,
      maxResultBytes,
      maxMediaBytes: options.maxMediaBytes ?? DEFAULT_MAX_MEDIA_BYTES,
      takesLinks: () => this.#takesLinks,
      start: (signal) => this.#session(signal),
      onOffloaded: () => this.#tell('resources', () => this.#server.sendResourceListChanged()),
      logger,
    });
    this.#answerTools(isReadOnly, isLazy);
    this.#answerContent();
  }

  /** Resolves when the connection has ended and the workspace is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Begins to answer. A server is connected once. */
  async connect(transport: Transport): Promise<void> {
    await this.#server.connect(transport);
  }

  /** Ends the connection, every call and every process, and closes the workspace. Idempotent. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    try {
      // Also aborts the calls that are under way.
      await this.#server.close();
    } finally {
      await this.#starter.close().catch((error: unknown) => {
        this.#logger.error('The workspace could not be closed.', { error });
      });
      this.#closed.resolve();
    }
  }

  #createServer(isReadOnly: boolean, isLazy: boolean): Server {
    const { name = 'agent-workspace', version, place, isEager = false } = this.#options;
    const serverInfo = { name, title: 'Agent workspace' };
    const instructions = serverInstructions({ place, isReadOnly, isLazy });
    const server = new Server({ ...serverInfo, version: version ?? '' }, { capabilities: CAPABILITIES, instructions });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    server.onerror = (error) => this.#logger.warn('A message could not be handled.', { error });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    server.onclose = () => void this.close();
    server.oninitialized = () => {
      if (isEager) void this.#session().catch((error: unknown) => this.#warn('workspace', messageOf(error), error));
    };
    server.setRequestHandler(InitializeRequestSchema, ({ params }) => {
      const { protocolVersion: asked } = params;
      const protocolVersion = SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
      this.#takesLinks = protocolVersion >= LINKS_SINCE;
      const told = { ...serverInfo, version: version ?? packageVersion() };
      return { protocolVersion, capabilities: CAPABILITIES, serverInfo: told, instructions };
    });
    return server;
  }

  #answerTools(isReadOnly: boolean, isLazy: boolean): void {
    this.#server.setRequestHandler(ListToolsRequestSchema, async (_request, { signal }) => {
      if (isLazy) return { tools: [...lazyDescriptions({ isReadOnly })] };
      await this.#prepareList(signal);
      return { tools: [...this.#catalogue.descriptions] };
    });
    this.#server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken;
      const onProgress =
        progressToken === undefined
          ? undefined
          : (update: ProgressUpdate): void => {
              const progress = { method: 'notifications/progress' as const, params: { progressToken, ...update } };
              this.#tell('progress', () => sendNotification(progress));
            };
      return await this.#caller.call(params.name, params.arguments ?? {}, { signal, onProgress });
    });
  }

  #answerContent(): void {
    this.#server.setRequestHandler(ListPromptsRequestSchema, async (_request, { signal }) => {
      await this.#prepareList(signal);
      return listSkillPrompts(this.#catalogue.skills);
    });
    this.#server.setRequestHandler(GetPromptRequestSchema, async ({ params }, { signal }) => {
      await this.#session(signal);
      await this.#catalogue.refreshSkills();
      return getSkillPrompt(this.#catalogue.skills, params);
    });
    this.#server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) => {
      const workspace = this.#starter.current;
      if (workspace === undefined) return { resources: [] };
      return await this.#files.list(this.#sessionOf(workspace), params?.cursor);
    });
    this.#server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
    this.#server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => {
      return await this.#files.read(await this.#session(signal), params.uri);
    });
  }

  /**
   * Looks for changes where there is a workspace; what is new is told by a notification. Where the
   * workspace starts with the client, a list has all that comes within a time that clients wait.
   */
  async #prepareList(signal: AbortSignal): Promise<void> {
    if (this.#options.isEager !== true) {
      if (this.#starter.current !== undefined) this.#catalogue.refresh();
      return;
    }
    const wait = AbortSignal.any([signal, AbortSignal.timeout(MAX_LIST_WAIT_MS)]);
    try {
      await this.#session(wait);
      this.#catalogue.refresh();
      await this.#catalogue.settled(wait);
    } catch (error) {
      signal.throwIfAborted();
      this.#logger.warn('A list has only what is known without the workspace.', { error });
    }
  }

  #sessionOf(workspace: Workspace): WorkspaceSession {
    return workspace.session({ ...this.#options.scope, sessionId: this.#sessionId });
  }

  async #session(signal?: AbortSignal): Promise<WorkspaceSession> {
    return this.#sessionOf(await this.#starter.get(signal));
  }

  #warn(about: string, message: string, error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#logger.warn(message, { error });
    this.#tell('log', () => this.#server.sendLoggingMessage({ level: 'warning', logger: about, data: message }));
  }

  /** Sends what nobody waits for. */
  #tell(what: string, send: () => Promise<void>): void {
    if (this.#closing !== undefined || this.#server.transport === undefined) return;
    send().catch((error: unknown) => this.#logger.debug(`A notification (${what}) could not be sent.`, { error }));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
