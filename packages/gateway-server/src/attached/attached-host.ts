import type { Backend, BackgroundProcess, Logger } from '@agent-workspace/core';
import type { BackgroundReference, GatewayEvent, OperationHost } from '@agent-workspace/gateway-protocol';
import { EventHub } from '../events/event-hub.ts';
import { CallRegistry } from '../http/call-registry.ts';
import { McpRegistry } from '../mcps/mcp-registry.ts';
import { ProcessRegistry } from '../processes/process-registry.ts';
import type { BackgroundHandles } from './background-handles.ts';

export interface AttachedHostOptions {
  readonly attachmentId: string;
  readonly backend: Backend;
  readonly background: BackgroundHandles;
  /** Whether nobody else is attached. */
  readonly isAlone: () => boolean;
  readonly logger: Logger;
}

/** One attachment's view of the gateway: all that it has started, and that ends with it. */
export class AttachedHost implements OperationHost {
  readonly attachmentId: string;
  readonly backend: Backend;
  readonly calls: CallRegistry = new CallRegistry();
  /** Commands that are waited for. */
  readonly commands: CallRegistry = new CallRegistry();
  readonly events: EventHub = new EventHub();
  readonly mcps: McpRegistry;
  readonly processes: ProcessRegistry;
  readonly #options: AttachedHostOptions;

  constructor(options: AttachedHostOptions) {
    const { attachmentId, backend, logger } = options;
    this.attachmentId = attachmentId;
    this.backend = backend;
    this.#options = options;
    const emit = (event: GatewayEvent): void => this.events.emit(event);
    this.mcps = new McpRegistry({ cwd: backend.workdir, emit, logger });
    this.processes = new ProcessRegistry({ backend, emit });
  }

  rememberBackground(
    process: BackgroundProcess,
    { isStarted = false }: { readonly isStarted?: boolean } = {},
  ): string | undefined {
    return this.#options.background.remember(process, isStarted ? this.attachmentId : undefined);
  }

  findBackground(reference: BackgroundReference): Promise<BackgroundProcess | undefined> {
    return this.#options.background.find(reference);
  }

  async endProcesses(references: readonly BackgroundReference[]): Promise<void> {
    // A gateway that was started anew has not seen all of them.
    const found = await Promise.all(references.map((reference) => this.findBackground(reference)));
    for (const process of found) if (process !== undefined) this.rememberBackground(process);
    if (this.#options.isAlone()) {
      await Promise.all([this.backend.endProcesses(), this.#options.background.endAll(), this.processes.endAll()]);
    } else {
      await Promise.all([this.commands.abortAll(), this.processes.endAll()]);
    }
  }

  /** Ends the servers and what is in flight, and takes nothing more. */
  async close(): Promise<void> {
    this.events.close();
    // Not waited for: one may be a request whose body never comes.
    this.calls.close();
    this.commands.close();
    await Promise.all([this.commands.abortAll(), this.processes.close(), this.mcps.close()]);
  }
}
