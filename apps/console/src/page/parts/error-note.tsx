import type { VNode } from 'preact';
import type { ApiError } from '../api/api-error.ts';

export interface ErrorNoteProps {
  readonly error: ApiError | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** A failure in the service's own words, with its code. It is read out when it appears. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps): VNode | null {
  if (error === undefined) return null;
  return (
    <div role="alert" class="note note-bad">
      <p>
        <code>{error.code}</code> {error.message}
      </p>
      {onRetry !== undefined && (
        <button type="button" class="small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
