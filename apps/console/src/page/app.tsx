import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient } from './api/api-client.ts';
import { type ApiError, toApiError } from './api/api-error.ts';
import type { ServiceStatus } from './api/types.ts';
import { EventFeed } from './events/event-feed.ts';
import { ServicesContext } from './hooks/services.ts';
import { ErrorNote } from './parts/error-note.tsx';
import { Shell } from './shell/shell.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { storedToken, storeToken } from './shell/token-store.ts';

const NOT_ACCEPTED = 'The service does not accept this token any more. Give it one that it knows.';

/** The page: a form for the token, and all else for who has one. */
export function App(): VNode {
  const [token, setToken] = useState(storedToken);
  const [status, setStatus] = useState<ServiceStatus>();
  const [reason, setReason] = useState<string>();

  const signOut = (why?: string): void => {
    storeToken(undefined);
    setToken(undefined);
    setStatus(undefined);
    setReason(why);
  };

  if (token === undefined) {
    return (
      <SignIn
        reason={reason}
        onSignedIn={(accepted, itsStatus) => {
          storeToken(accepted);
          setStatus(itsStatus);
          setToken(accepted);
        }}
      />
    );
  }
  return <SignedIn key={token} token={token} knownStatus={status} onSignOut={signOut} />;
}

interface SignedInProps {
  readonly token: string;
  /** Where the form has just asked for it. */
  readonly knownStatus: ServiceStatus | undefined;
  readonly onSignOut: (reason?: string) => void;
}

function SignedIn({ token, knownStatus, onSignOut }: SignedInProps): VNode {
  const api = useMemo(() => new ApiClient({ token, onUnauthorized: () => onSignOut(NOT_ACCEPTED) }), [token]);
  const feed = useMemo(() => new EventFeed(), [token]);
  const [status, setStatus] = useState(knownStatus);
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (status === undefined)
      api.json<ServiceStatus>('v1/status').then(setStatus, (failure) => setError(toApiError(failure)));
  }, [api, round]);
  const isKnown = status !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    feed.open(api);
    return () => feed.close();
  }, [api, feed, isKnown]);

  if (status === undefined) {
    const retry = (): void => (setError(undefined), setRound(round + 1));
    return (
      <main class="sign-in">
        <ErrorNote error={error} onRetry={retry} />
        {error === undefined && <p class="loading">Loading …</p>}
      </main>
    );
  }
  return (
    <ServicesContext.Provider value={{ api, feed, status }}>
      <Shell onSignOut={() => onSignOut()} />
    </ServicesContext.Provider>
  );
}
