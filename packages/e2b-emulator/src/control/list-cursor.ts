import { ApiError } from './api-error.ts';

/** The last sandbox of a page: when it was started, and, where others were in that moment, its id. */
export interface ListCursor {
  readonly startedAtMs: number;
  readonly sandboxId: string;
}

export function encodeCursor({ startedAtMs, sandboxId }: ListCursor): string {
  return Buffer.from(`${new Date(startedAtMs).toISOString()}__${sandboxId}`).toString('base64url');
}

/** @throws {ApiError} 400 */
export function decodeCursor(token: string): ListCursor {
  const [time = '', sandboxId, ...rest] = Buffer.from(token, 'base64url').toString('utf8').split('__');
  const startedAtMs = Date.parse(time);
  if (Number.isNaN(startedAtMs) || !sandboxId || rest.length > 0) throw new ApiError(400, 'Invalid next token');
  return { startedAtMs, sandboxId };
}

/** By start, ties by id. */
export function compareCursors(one: ListCursor, other: ListCursor): number {
  return (
    one.startedAtMs - other.startedAtMs ||
    (one.sandboxId < other.sandboxId ? -1 : Number(one.sandboxId > other.sandboxId))
  );
}
