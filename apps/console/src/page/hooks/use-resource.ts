import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import { type ApiError, isAbort, toApiError } from '../api/api-error.ts';
import type { ServiceEvent } from '../api/types.ts';
import { useServices } from './services.ts';

/** Events come in bursts; what they announce is read once for many. */
const RELOAD_AFTER_MS = 300;

export interface Resource<T> {
  /** The last that was read, also while it is read anew. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  /** When the data were read, as `Date.now()` has it. */
  readonly readAtMs: number;
  readonly reload: () => void;
}

export interface ResourceOptions<T> {
  /** What is read; another key is another thing. */
  readonly key: string;
  readonly load: (api: ApiClient, signal: AbortSignal) => Promise<T>;
  /** Whether an event says that the thing may have changed. Default: never. */
  readonly changesBy?: ((event: ServiceEvent) => boolean) | undefined;
  /** For what changes without an event: how often it is read while somebody looks. Default: not again. */
  readonly everyMs?: number | undefined;
}

interface Read<T> extends Omit<Resource<T>, 'reload'> {
  readonly key: string;
}

/** Reads a thing of the service, and again when an event says that it may have changed. */
export function useResource<T>(options: ResourceOptions<T>): Resource<T> {
  const { api, feed } = useServices();
  const latest = useRef(options);
  latest.current = options;
  const { key, everyMs } = options;
  const [read, setRead] = useState<Read<T>>({ key, data: undefined, error: undefined, readAtMs: 0 });
  const reader = useRef<() => void>(() => {});
  const reload = useCallback(() => reader.current(), []);

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const readOnce = async (): Promise<void> => {
      try {
        const data = await latest.current.load(api, signal);
        if (!signal.aborted) setRead({ key, data, error: undefined, readAtMs: Date.now() });
      } catch (error) {
        if (signal.aborted || isAbort(error)) return;
        const before = (last: Read<T>): Partial<Read<T>> => (last.key === key ? last : {});
        setRead((last) => ({ data: undefined, readAtMs: 0, ...before(last), key, error: toApiError(error) }));
      }
    };
    reader.current = oneAtATime(readOnce, signal);
    reload();
    return () => leaving.abort();
  }, [api, key, reload]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = feed.listen((event) => {
      const isChanged = event.type === 'console-reconnected' || latest.current.changesBy?.(event) === true;
      if (!isChanged) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, RELOAD_AFTER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [feed, reload]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  return read.key === key
    ? { data: read.data, error: read.error, readAtMs: read.readAtMs, reload }
    : { data: undefined, error: undefined, readAtMs: 0, reload };
}

/** Asked again while it works, it works once more: what it began with may be old by then. */
function oneAtATime(work: () => Promise<void>, signal: AbortSignal): () => void {
  let isWorking = false;
  let isAskedFor = false;
  const run = async (): Promise<void> => {
    isWorking = true;
    while (isAskedFor && !signal.aborted) {
      isAskedFor = false;
      await work();
    }
    isWorking = false;
  };
  return () => {
    isAskedFor = true;
    if (!isWorking) void run();
  };
}
