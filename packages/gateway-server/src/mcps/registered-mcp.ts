import { randomUUID } from 'node:crypto';
import {
  GatewayBusyError,
  type Logger,
  type MCPCallOptions,
  type MCPCallResult,
  type MCPClientState,
  type MCPToolDescription,
} from '@agent-workspace/core';
import {
  type GatewayEvent,
  MAX_CALLS_PER_SERVER,
  type McpKey,
  type McpStatus,
  type RegisterMcpRequest,
  toProblem,
} from '@agent-workspace/gateway-protocol';
import { DirectMCPClient } from '@agent-workspace/mcp';
import { redactDeclaration, Redactor } from './redactor.ts';

export interface RegisteredMcpOptions {
  readonly key: McpKey;
  readonly request: RegisterMcpRequest;
  readonly cwd: string;
  readonly emit: (event: GatewayEvent) => void;
  readonly logger: Logger;
}

/** One MCP server, with what may be said about it. */
export class RegisteredMcp {
  /** As it was registered. */
  readonly request: RegisterMcpRequest;
  readonly redactor: Redactor;
  readonly #key: McpKey;
  readonly #client: DirectMCPClient;
  readonly #registrationId = randomUUID();
  #revision = 0;
  #calls = 0;

  constructor({ key, request, cwd, emit, logger }: RegisteredMcpOptions) {
    const { declaration, secrets = {}, connectTimeoutMs } = request;
    this.request = request;
    this.redactor = new Redactor({ declaration, secrets });
    this.#key = key;
    this.#client = new DirectMCPClient({
      declaration,
      secrets,
      connectTimeoutMs,
      cwd,
      logger,
      onStateChange: () => {
        this.#revision += 1;
        emit({ type: 'mcp-state-changed', mcp: this.status() });
      },
      onToolsChanged: () => emit({ type: 'mcp-tools-changed', mcp: key }),
    });
  }

  /** Says no secret. */
  status(): McpStatus {
    const { declaration, state, restarts, lastError, stderrTail } = this.#client;
    return {
      ...this.#key,
      declaration: redactDeclaration(declaration),
      state: this.redactor.json<MCPClientState>(state),
      registrationId: this.#registrationId,
      revision: this.#revision,
      restarts,
      ...(lastError !== undefined && { lastError: this.redactor.json(toProblem(lastError)) }),
      stderrTail: this.redactor.text(stderrTail),
    };
  }

  /** Starts the server now. @see DirectMCPClient.connect */
  async connect(signal: AbortSignal): Promise<void> {
    await this.#client.connect({ signal });
  }

  async listTools(signal: AbortSignal): Promise<readonly MCPToolDescription[]> {
    const tools = await this.#client.listTools({ signal });
    return tools.map(({ mcpTool }) => mcpTool);
  }

  /** @throws `gateway-busy` if too many calls are waited for; else see {@link DirectMCPClient.callTool} */
  async callTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: MCPCallOptions,
  ): Promise<MCPCallResult> {
    if (this.#calls >= MAX_CALLS_PER_SERVER) {
      const resource = `The MCP server ${JSON.stringify(this.#key.name)}`;
      throw new GatewayBusyError({ resource, limit: MAX_CALLS_PER_SERVER });
    }
    this.#calls += 1;
    try {
      return await this.#client.callTool(tool, input, options);
    } finally {
      this.#calls -= 1;
    }
  }

  /** Ends the session and every process of the server. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}
