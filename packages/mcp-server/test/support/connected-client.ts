import { LocalWorkspace, type LocalWorkspaceOptions } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type CallToolResult,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { WorkspaceMcpServer, type WorkspaceMcpOptions } from '../../src/index.ts';

export interface ConnectOptions extends Partial<WorkspaceMcpOptions> {
  /** Of the local workspace that is opened, unless `open` is given. */
  readonly local?: Partial<LocalWorkspaceOptions> | undefined;
}

/** A client of the SDK, and a server in this process whose workspace is a temporary directory. */
export class ConnectedClient implements AsyncDisposable {
  readonly client: Client = new Client({ name: 'test', version: '1' });
  readonly directory: TemporaryDirectory;
  readonly server: WorkspaceMcpServer;
  /** Notifications that have come, by what they are about. */
  readonly changes = { tools: 0, prompts: 0, resources: 0 };
  readonly logs: unknown[] = [];
  /** How often the workspace was opened. */
  opened = 0;

  private constructor(directory: TemporaryDirectory, { local, ...options }: ConnectOptions) {
    this.directory = directory;
    const { open = ({ onEvent }) => LocalWorkspace.open({ workdir: this.workdir, onEvent, ...local }) } = options;
    this.server = new WorkspaceMcpServer({
      ...options,
      open: async (context) => {
        this.opened += 1;
        return await open(context);
      },
    });
    const count = (key: keyof typeof this.changes) => () => void (this.changes[key] += 1);
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, count('tools'));
    this.client.setNotificationHandler(PromptListChangedNotificationSchema, count('prompts'));
    this.client.setNotificationHandler(ResourceListChangedNotificationSchema, count('resources'));
    this.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void this.logs.push(params));
  }

  static async connect(options: ConnectOptions = {}): Promise<ConnectedClient> {
    const connected = new ConnectedClient(await TemporaryDirectory.create(), options);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await connected.server.connect(far);
    await connected.client.connect(near);
    return connected;
  }

  get workdir(): string {
    return `${this.directory.path}/workspace`;
  }

  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> {
    return (await this.client.callTool({ name, arguments: input })) as CallToolResult;
  }

  async toolNames(): Promise<readonly string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.server.closed;
    await this.directory[Symbol.asyncDispose]();
  }
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
