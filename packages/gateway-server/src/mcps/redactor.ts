import type { McpDeclaration } from '@agent-workspace/core';

const REDACTED = '[redacted]';
/** Shorter values would be found all over a text, and keep nobody out. */
const MIN_SECRET_LENGTH = 4;
const PLACEHOLDER = /^\$\{\w+\}$/;
const SCHEME = /^(?:basic|bearer|token) /i;
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|token/i;

export interface RedactorOptions {
  readonly declaration: McpDeclaration;
  /** What placeholders of the declaration stand for. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A declaration whose `env` or `headers` show placeholders, and nothing else of their values. */
export function redactDeclaration(declaration: McpDeclaration): McpDeclaration {
  const redact = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, PLACEHOLDER.test(value) ? value : REDACTED]),
    );
  return declaration.transport === 'stdio'
    ? { ...declaration, env: redact(declaration.env) }
    : { ...declaration, headers: redact(declaration.headers) };
}

function secretValues({ declaration, secrets }: RedactorOptions): readonly string[] {
  const isStdio = declaration.transport === 'stdio';
  const named = Object.entries(isStdio ? declaration.env : declaration.headers)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.replace(SCHEME, '')]);
  return [...Object.values(secrets), ...named].filter(
    (value) => value.length >= MIN_SECRET_LENGTH && !PLACEHOLDER.test(value),
  );
}

/**
 * Takes the secrets of one MCP server out of what is said about it: what it was given for its
 * placeholders, and what its declaration has under a name that sounds like a secret.
 */
export class Redactor {
  /** The longest first, since one may hold another. */
  readonly #secrets: readonly string[];

  constructor(options: RedactorOptions) {
    this.#secrets = [...new Set(secretValues(options))].toSorted((one, other) => other.length - one.length);
  }

  text(text: string): string {
    return this.#secrets.reduce((redacted, secret) => redacted.replaceAll(secret, REDACTED), text);
  }

  /** A copy of a JSON value with the secrets taken out of every string in it. */
  json<T>(value: T): T {
    if (this.#secrets.length === 0) return value;
    return this.#any(value) as T;
  }

  #any(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#any(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#any(item)]));
  }
}
