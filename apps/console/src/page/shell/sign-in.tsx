import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiClient } from '../api/api-client.ts';
import { type ApiError, toApiError } from '../api/api-error.ts';
import type { ServiceStatus } from '../api/types.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { ThemePicker } from './theme-picker.tsx';

export interface SignInProps {
  /** Why there is a form again, for who was signed in before. */
  readonly reason: string | undefined;
  /** The token is the service's, which said how it is. */
  readonly onSignedIn: (token: string, status: ServiceStatus) => void;
}

/** Asks for a token, and the service whether it is one. */
export function SignIn({ reason, onSignedIn }: SignInProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<ApiError>();
  const [isChecking, setChecking] = useState(false);
  useEffect(() => {
    document.title = 'Sign in – Agent Workspace';
    input.current?.focus();
  }, []);

  const check = async (): Promise<void> => {
    const token = input.current?.value.trim() ?? '';
    setChecking(true);
    setError(undefined);
    try {
      onSignedIn(token, await new ApiClient({ token, onUnauthorized: () => {} }).json<ServiceStatus>('v1/status'));
    } catch (failure) {
      setError(toApiError(failure));
      setChecking(false);
      input.current?.select();
    }
  };

  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <img src="icon.svg" alt="" width="40" height="40" />
        <h1>Agent Workspace</h1>
        <p class="quiet">The service prints a token when it starts, unless it was started with tokens of its own.</p>
        {reason !== undefined && error === undefined && (
          <p role="alert" class="note note-busy">
            {reason}
          </p>
        )}
        <ErrorNote error={error} />
        <label class="field">
          Token
          <input
            ref={input}
            type="password"
            required
            autocomplete="off"
            spellcheck={false}
            aria-invalid={error !== undefined}
          />
        </label>
        <button type="submit" class="primary" disabled={isChecking}>
          {isChecking ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <ThemePicker />
    </main>
  );
}
