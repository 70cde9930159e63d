import { readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { resolve } from 'node:path';
import type { KubeConfig, User } from '@kubernetes/client-node';

type Authenticator = Parameters<KubeConfig['addAuthenticator']>[0];

/** Of users whose token is in a file, in the place of the client's own provider. */
const PROVIDER = 'agent-workspace-token-file';

/** A kubeconfig, and where its relative paths begin. */
export interface KubeconfigText {
  readonly text: string;
  readonly directory: string;
}

interface NamedUser {
  readonly name?: string | undefined;
  readonly user?: { readonly tokenFile?: string | undefined } | null | undefined;
}

/**
 * Has tokens that are in files read for each request, so that one that was renewed is used at once, and one that was
 * revoked is not. The client reads that of a service account once a minute, and none that a kubeconfig names.
 */
export function followTokenFiles(
  config: KubeConfig,
  kubeconfigs: readonly KubeconfigText[],
  parse: (text: string) => unknown,
): void {
  const named = new Map(kubeconfigs.flatMap((kubeconfig) => tokenFilesOf(kubeconfig, parse)));
  config.users = config.users.map((user) => {
    const path = named.get(user.name) ?? serviceAccountFile(user);
    if (path === undefined) return user;
    const { token: _token, ...rest } = user;
    return { ...rest, authProvider: { name: PROVIDER, config: { path } } };
  });
  config.addAuthenticator(new TokenFiles());
}

function tokenFilesOf({ text, directory }: KubeconfigText, parse: (text: string) => unknown): [string, string][] {
  const { users } = (parse(text) as { readonly users?: readonly NamedUser[] | null } | undefined) ?? {};
  return (users ?? []).flatMap(({ name = '', user }) =>
    user?.tokenFile === undefined ? [] : [[name, resolve(directory, user.tokenFile)]],
  );
}

/** What the client has where it runs in a Pod. */
function serviceAccountFile({ authProvider }: User): string | undefined {
  return (authProvider as { readonly config?: { readonly tokenFile?: string } } | null | undefined)?.config?.tokenFile;
}

class TokenFiles implements Authenticator {
  isAuthProvider({ authProvider }: User): boolean {
    return (authProvider as { readonly name?: string } | null | undefined)?.name === PROVIDER;
  }

  async applyAuthentication(
    { authProvider }: User,
    options: Parameters<Authenticator['applyAuthentication']>[1],
  ): Promise<void> {
    const { path } = (authProvider as { readonly config: { readonly path: string } }).config;
    const token = await readFile(path, 'utf8');
    options.headers = {
      ...(options.headers as OutgoingHttpHeaders | undefined),
      Authorization: `Bearer ${token.trim()}`,
    };
  }
}
