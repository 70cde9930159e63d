import type { ServiceEvent } from '../api/types.ts';
import { formatBytes, formatDuration } from '../parts/format.ts';

/** Good, bad and busy things look different; all else is quiet. */
export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

/** Fields that are told elsewhere, or mean nothing to a reader. */
const HIDDEN = new Set(['type', 'at', 'workspaceId', 'agentId', 'sessionId', 'toolCallId', 'durationMs', 'sizeBytes']);

/** All that an event says beside its type, in one line. */
export function describeEvent(event: ServiceEvent): string {
  const parts = Object.entries(event)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== undefined && value !== false)
    .map(([name, value]) => describeField(name, value));
  if (typeof event['sizeBytes'] === 'number') parts.push(formatBytes(event['sizeBytes']));
  if (typeof event['durationMs'] === 'number') parts.push(formatDuration(event['durationMs']));
  const line = parts.filter((part) => part !== '').join(' · ');
  return line.trim().replaceAll(/\s+/gu, ' ');
}

function describeField(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return `${name} ${value}`;
  if (typeof value === 'boolean') return name;
  if (typeof value !== 'object' || value === null) return '';
  const { kind, reason } = value as { readonly kind?: unknown; readonly reason?: unknown };
  if (typeof kind !== 'string') return JSON.stringify(value);
  return typeof reason === 'string' ? `${kind}: ${reason}` : kind;
}

export function toneOf(event: ServiceEvent): Tone {
  const outcome = [event['outcome'], event['state'], kindOf(event['state'])];
  if (event.type.endsWith('-failed') || event.type === 'missed') return 'bad';
  if (outcome.some((word) => word === 'failed' || word === 'error')) return 'bad';
  if (outcome.some((word) => word === 'awaiting-approval' || word === 'connecting')) return 'busy';
  if (event.type.endsWith('-started')) return 'busy';
  if (outcome.some((word) => word === 'success' || word === 'completed' || word === 'connected')) return 'good';
  return 'quiet';
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { readonly kind?: unknown }).kind : undefined;
}
