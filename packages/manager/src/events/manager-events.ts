import { type Logger, WorkspaceError } from '@agent-workspace/core';
import type { SpanStatusCode, Tracer } from '@opentelemetry/api';
import type { ManagerEvent, ManagerEventListener, ManagerOperation } from './manager-event.ts';

/** The value of that name, which is not imported since its package need not be installed. */
const STATUS_ERROR = 2 as SpanStatusCode.ERROR;

export interface ManagerEventsOptions {
  readonly onEvent?: ManagerEventListener | undefined;
  readonly tracer?: Tracer | undefined;
  readonly logger: Logger;
}

/** Tells of what happens: to the listener, and as spans. A listener that throws is logged and disturbs no one. */
export class ManagerEvents {
  readonly #options: ManagerEventsOptions;

  constructor(options: ManagerEventsOptions) {
    this.#options = options;
  }

  emit(event: ManagerEvent): void {
    const { onEvent, logger } = this.#options;
    try {
      onEvent?.(event);
      this.#trace(event);
    } catch (error) {
      logger.error('A listener of the workspace manager threw.', { error, event: event.type });
    }
  }

  /** For what no caller waits for, whose failure would else be known to nobody. */
  fail(operation: ManagerOperation, error: unknown, details: { workspaceId?: string; since: number }): void {
    const { workspaceId, since } = details;
    this.#options.logger.error(`The workspace manager failed to ${operation}.`, { workspaceId, error });
    this.emit({ type: 'workspace-failed', operation, workspaceId, durationMs: performance.now() - since, error });
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
      const message = event.error instanceof Error ? event.error.message : String(event.error);
      span?.recordException(message, endTime);
      span?.setStatus({ code: STATUS_ERROR, message });
    }
    span?.end(endTime);
  }
}
