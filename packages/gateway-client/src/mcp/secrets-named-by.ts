import type { McpDeclaration } from '@agent-workspace/core';

/** A placeholder is a whole value. */
const PLACEHOLDER = /^\$\{(\w+)\}$/;

/** Those secrets that a declaration has a placeholder for: no others go into a sandbox. */
export function secretsNamedBy(
  declaration: McpDeclaration,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const values = Object.values(declaration.transport === 'stdio' ? declaration.env : declaration.headers);
  const named: Record<string, string> = {};
  for (const value of values) {
    const name = PLACEHOLDER.exec(value)?.[1];
    if (name !== undefined && Object.hasOwn(secrets, name)) named[name] = secrets[name] ?? '';
  }
  return named;
}
