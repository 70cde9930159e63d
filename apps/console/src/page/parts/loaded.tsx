import type { ComponentChildren, VNode } from 'preact';
import type { Resource } from '../hooks/use-resource.ts';
import { ErrorNote } from './error-note.tsx';

export interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** What was read, once it is; before it that it is being read, and above it what went wrong. */
export function Loaded<T>({ resource: { data, error, reload }, children }: LoadedProps<T>): VNode {
  return (
    <>
      <ErrorNote error={error} onRetry={reload} />
      {data === undefined && error === undefined && <p class="loading">Loading …</p>}
      {data !== undefined && children(data)}
    </>
  );
}
