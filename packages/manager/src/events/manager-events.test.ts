import { silentLogger, WorkspaceForbiddenError } from '@agent-workspace/core';
import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import type { ManagerEvent } from './manager-event.ts';
import { ManagerEvents } from './manager-events.ts';

function milliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1_000 + nanoseconds / 1e6;
}

describe('ManagerEvents', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('manager');

  it('makes a span of each event, as long as what it tells of', () => {
    exporter.reset();
    const told: ManagerEvent[] = [];
    const events = new ManagerEvents({ onEvent: (event) => told.push(event), tracer, logger: silentLogger });
    const created: ManagerEvent = { type: 'workspace-created', workspaceId: 'w-1', durationMs: 1_500 };
    const evicted: ManagerEvent = { type: 'workspace-evicted', reason: 'idle', workspaceId: 'w-1', durationMs: 20 };
    events.emit(created);
    events.emit(evicted);
    expect(told).toEqual([created, evicted]);
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
      { name: 'workspace-created', attributes: { 'workspace.id': 'w-1' } },
      { name: 'workspace-evicted', attributes: { 'workspace.id': 'w-1', 'workspace.eviction_reason': 'idle' } },
    ]);
    expect(spans.map(({ duration }) => Math.round(milliseconds(duration)))).toEqual([1_500, 20]);
  });

  it('marks the span of a failure, with its error and our code', () => {
    exporter.reset();
    const events = new ManagerEvents({ tracer, logger: silentLogger });
    const error = new WorkspaceForbiddenError({ workspaceId: 'w-1', reason: 'owner-unknown' });
    events.fail('build', error, { workspaceId: 'w-1', since: performance.now() - 10 });
    events.fail('heartbeat', 'a string', { since: performance.now() });
    const [build, heartbeat] = exporter.getFinishedSpans();
    expect(build?.status).toEqual({ code: SpanStatusCode.ERROR, message: error.message });
    expect(build?.attributes).toEqual({
      'workspace.id': 'w-1',
      'workspace.operation': 'build',
      'error.type': 'workspace-forbidden',
    });
    expect(build?.events[0]?.attributes).toMatchObject({ 'exception.message': error.message });
    expect(heartbeat?.status.message).toBe('a string');
  });

  it('logs a listener that throws, and makes the span all the same', () => {
    exporter.reset();
    const logged: string[] = [];
    const error = (message: string): void => void logged.push(message);
    const onEvent = (): never => {
      throw new Error('of the listener');
    };
    const events = new ManagerEvents({ onEvent, tracer, logger: { ...silentLogger, error } });
    events.emit({ type: 'workspace-prewarmed', workspaceId: 'w-1', durationMs: 1 });
    expect(logged).toEqual(['A listener of the workspace manager threw.']);
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });
});
