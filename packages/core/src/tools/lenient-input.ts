import type { JsonSchema } from './tool.ts';

export interface LenientInputOptions {
  readonly schema: JsonSchema;
  /** Other names that a parameter is known by. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
}

interface PropertySchema {
  readonly type?: unknown;
}

/**
 * Puts right what models get wrong without meaning anything else: numbers and booleans given as
 * strings, `null` for a parameter that is left out, other common names, parameters that do not exist.
 */
export function lenientInput(input: unknown, options: LenientInputOptions): unknown {
  if (input === undefined || input === null) return {};
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  const properties = (options.schema['properties'] ?? {}) as Readonly<Record<string, PropertySchema>>;
  const required = (options.schema['required'] ?? []) as readonly string[];
  const result: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(input)) {
    const name = options.aliases?.[given] ?? given;
    if (!Object.hasOwn(properties, name)) continue;
    if (value === null && !required.includes(name)) continue;
    if (name !== given && Object.hasOwn(input, name)) continue;
    result[name] = lenientValue(value, properties[name]?.type);
  }
  return result;
}

function lenientValue(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'integer' && /^[+-]?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return value;
}
