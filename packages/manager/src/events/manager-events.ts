import { type Logger, WorkspaceError } from '@agent-workspace/core';
import type { ManagerTracer } from './manager-tracer.ts';
import type { ManagerEvent, ManagerEventListener, ManagerOperation } from './manager-event.ts';

/** `SpanStatusCode.ERROR`. */
const STATUS_ERROR = 2;

export interface ManagerEventsOptions {
  readonly onEvent?: ManagerEventListener | undefined;
  readonly tracer?: ManagerTracer | undefined;
  readonly logger: Logger;
}

/** Tells of what happens: to the listener, and as spans. A listener that throws is logged and disturbs no one. */
export class ManagerEvents {
  readonly #options: ManagerEventsOptions;

  constructor(options: ManagerEventsOptions) {
    this.#options = options;
  }

  emit(event: ManagerEvent): void {
    this.#try(event, () => this.#options.onEvent?.(event));
    this.#try(event, () => this.#trace(event));
  }

  /** For what no caller waits for, whose failure would else be known to nobody. */
  fail(operation: ManagerOperation, error: unknown, details: { workspaceId?: string; since: number }): void {
    const { workspaceId, since } = details;
    this.#options.logger.error(`The workspace manager failed to ${operation}.`, { workspaceId, error });
    this.emit({ type: 'workspace-failed', operation, workspaceId, durationMs: performance.now() - since, error });
  }

  #try(event: ManagerEvent, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#options.logger.error('A listener of the workspace manager threw.', { error, event: event.type });
    }
  }

  #trace(event: ManagerEvent): void {
    const endTime = Date.now();
    const { type, workspaceId, durationMs } = event;
    const attributes = {
      ...(workspaceId !== undefined && { 'workspace.id': workspaceId }),
      ...(event.type === 'workspace-evicted' && { 'workspace.eviction_reason': event.reason }),
      ...(event.type === 'workspace-failed' && { 'workspace.operation': event.operation }),
      ...(event.type === 'workspace-failed' &&
        WorkspaceError.isInstance(event.error) && { 'error.type': event.error.code }),
    };
    const span = this.#options.tracer?.startSpan(type, { startTime: endTime - durationMs, attributes });
    if (event.type === 'workspace-failed') {
      const error = event.error instanceof Error ? event.error : new Error(String(event.error));
      span?.recordException(error, endTime);
      span?.setStatus({ code: STATUS_ERROR, message: error.message });
    }
    span?.end(endTime);
  }
}
