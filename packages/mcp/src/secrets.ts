import { MCPSecretMissingError } from '@agent-workspace/core';

const PLACEHOLDER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

export interface ResolveSecretsOptions {
  /** The server's name, for the error. */
  readonly name: string;
  readonly field: 'env' | 'headers';
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Puts secrets in the place of values that are `${NAME}` as a whole. Others stay as they are.
 *
 * @throws `mcp-secret-missing`
 */
export function resolveSecrets(options: ResolveSecretsOptions): Record<string, string> {
  const { name, field, values, secrets } = options;
  const resolve = ([key, value]: readonly [string, string]): readonly [string, string] => {
    const secret = PLACEHOLDER.exec(value)?.[1];
    if (secret === undefined) return [key, value];
    const found = Object.hasOwn(secrets, secret) ? secrets[secret] : undefined;
    if (found === undefined) throw new MCPSecretMissingError({ name, secret, field: `${field}.${key}` });
    return [key, found];
  };
  return Object.fromEntries(Object.entries(values).map(resolve));
}
