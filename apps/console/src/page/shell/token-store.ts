const KEY = 'agent-workspace.token';

/* The token lives as long as the tab: who opens another one, or comes back later, is asked again. */

export function storedToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function storeToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}
