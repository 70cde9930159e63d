import { useCallback, useState } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import { type ApiError, isAbort, toApiError } from '../api/api-error.ts';
import { useServices } from './services.ts';

export interface Action {
  /** Whether it succeeded. A failure is in `error`, to be shown. */
  readonly run: (work: (api: ApiClient) => Promise<unknown>) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly error: ApiError | undefined;
  readonly forget: () => void;
}

/** Something that the user has done, and how it ended. */
export function useAction(): Action {
  const { api } = useServices();
  const [state, setState] = useState<Pick<Action, 'isRunning' | 'error'>>({ isRunning: false, error: undefined });
  const run = useCallback(
    async (work: (api: ApiClient) => Promise<unknown>) => {
      setState({ isRunning: true, error: undefined });
      try {
        await work(api);
        setState({ isRunning: false, error: undefined });
        return true;
      } catch (error) {
        setState({ isRunning: false, error: isAbort(error) ? undefined : toApiError(error) });
        return false;
      }
    },
    [api],
  );
  const forget = useCallback(() => setState({ isRunning: false, error: undefined }), []);
  return { ...state, run, forget };
}
