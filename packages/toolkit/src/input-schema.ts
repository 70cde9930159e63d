import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import { type JsonSchema, LimitExceededError } from '@agent-workspace/core';

/**
 * What a server or a model could keep the host busy with: regular expressions that never end,
 * comparisons of every item with every other. The tool has its own say on them.
 */
const UNCHECKED_KEYWORDS = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems']);
/** Where `patternProperties` is not looked at, nothing can be said about what it leaves over. */
const REST_KEYWORDS = new Set(['additionalProperties', 'unevaluatedProperties']);
/** What has values in it, and no schemas. */
const DATA_KEYWORDS = new Set(['enum', 'const', 'default', 'examples']);
/** What has schemas by names. */
const MAP_KEYWORDS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** A schema whose references double at every level would take forever. Real ones need some hundreds. */
const MAX_REFERENCES = 20_000;
const MAX_SHOWN_PROBLEMS = 10;
const MAX_SHOWN_CHARS = 80;

/** Keywords whose errors only say that there is one further down. */
const CONTAINERS = new Set([
  '$ref',
  '$recursiveRef',
  'properties',
  'additionalProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'allOf',
  'if',
  'propertyNames',
]);
const ALTERNATIVES = new Set(['anyOf', 'oneOf']);

/** A tool's input schema, made ready to check inputs with. */
export class InputSchema {
  readonly #schema: Schema;
  readonly #draft: SchemaDraft;
  readonly #lookup: Record<string, Schema | boolean>;
  /** The names of the parameters that the schema knows. */
  readonly parameters: readonly string[];

  constructor(schema: JsonSchema) {
    // A copy, since the library notes things on it.
    this.#schema = withoutUnchecked(schema) as Schema;
    this.#draft = draftOf(schema);
    this.#lookup = dereference(this.#schema);
    this.parameters = Object.keys(this.#schema.properties ?? {});
  }

  /**
   * What is wrong with an input, one line each: where, what is expected, what is given.
   *
   * @throws where the schema means nothing, such as a reference that leads nowhere
   */
  problemsOf(input: unknown): readonly string[] {
    const instance: unknown = JSON.parse(JSON.stringify(input ?? {}));
    const { valid, errors } = validate(instance, this.#schema, this.#draft, countLookups(this.#lookup), false);
    if (valid) return [];
    const lines = new Set(this.#describe(errors, instance));
    const first = [...lines].slice(0, MAX_SHOWN_PROBLEMS).map((line) => `- ${line}`);
    const left = lines.size - first.length;
    return left > 0 ? [...first, `- and ${left} more`] : first;
  }

  /** Each error at the bottom, and one for a choice of schemas none of which fits. */
  #describe(errors: readonly OutputUnit[], instance: unknown): string[] {
    const choices = errors.filter(({ keyword }) => ALTERNATIVES.has(keyword));
    const isInChoice = ({ keywordLocation }: OutputUnit): boolean =>
      choices.some((choice) => keywordLocation.startsWith(`${choice.keywordLocation}/`));
    const leaves = errors.filter((error) => !CONTAINERS.has(error.keyword) && !isInChoice(error));
    return leaves.flatMap((error) => {
      const value = valueAt(instance, error.instanceLocation);
      if (error.keyword === 'required') {
        return this.#missing(error, value).map((key) => `${pathOf(error.instanceLocation, key)}: it is required`);
      }
      const expectation = this.#expectation(error, errors);
      const given = error.keyword === 'false' ? '' : `; ${shown(value)} is given`;
      return `${pathOf(error.instanceLocation)}: ${expectation}${given}`;
    });
  }

  #missing(error: OutputUnit, value: unknown): string[] {
    const required = this.#keywordValue(error);
    const present = typeof value === 'object' && value !== null ? value : {};
    return Array.isArray(required) ? required.map(String).filter((key) => !Object.hasOwn(present, key)) : [];
  }

  #expectation(error: OutputUnit, errors: readonly OutputUnit[]): string {
    switch (error.keyword) {
      case 'type': {
        const types = [this.#keywordValue(error)].flat();
        return `${types.join(' or ')} is expected`;
      }
      case 'enum':
        return `one of ${shown(this.#keywordValue(error))} is expected`;
      case 'const':
        return `${shown(this.#keywordValue(error))} is expected`;
      case 'false':
        return 'there is no such parameter';
      case 'anyOf':
      case 'oneOf':
        return this.#choice(error, errors);
      default:
        return error.error.replace(/\.$/u, '');
    }
  }

  #choice(choice: OutputUnit, errors: readonly OutputUnit[]): string {
    const below = errors.filter(
      ({ keyword, keywordLocation }) =>
        keywordLocation.startsWith(`${choice.keywordLocation}/`) &&
        !CONTAINERS.has(keyword) &&
        !ALTERNATIVES.has(keyword),
    );
    if (below.length === 0) return 'it fits more than one of the alternatives, and has to fit one';
    const expectations = below.map((error) => {
      const isHere = error.instanceLocation === choice.instanceLocation;
      return `${isHere ? '' : `${pathOf(error.instanceLocation)}: `}${this.#expectation(error, errors)}`;
    });
    return [...new Set(expectations)].join(', or ');
  }

  /** What the schema says where an error arose, references followed. */
  #keywordValue({ keywordLocation }: OutputUnit): unknown {
    let node: unknown = this.#schema;
    for (const segment of segmentsOf(keywordLocation)) {
      const owner = node as Record<string, unknown> & { readonly __absolute_ref__?: string };
      node = segment === '$ref' ? this.#lookup[owner.__absolute_ref__ ?? String(owner['$ref'])] : owner[segment];
    }
    return node;
  }
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const dialect = typeof $schema === 'string' ? $schema : '';
  if (dialect.includes('draft-04')) return '4';
  if (dialect.includes('draft-06') || dialect.includes('draft-07')) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

/** A deep copy of a schema less what is not checked. */
function withoutUnchecked(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnchecked);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isOpen = 'patternProperties' in schema;
  const kept = Object.entries(schema).filter(
    ([key]) => !UNCHECKED_KEYWORDS.has(key) && !(isOpen && REST_KEYWORDS.has(key)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, copyKeyword(key, value)]));
}

function copyKeyword(key: string, value: unknown): unknown {
  if (DATA_KEYWORDS.has(key)) return structuredClone(value);
  if (!MAP_KEYWORDS.has(key) || typeof value !== 'object' || value === null) return withoutUnchecked(value);
  // A parameter may be called what a keyword is called.
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutUnchecked(schema)]));
}

/** Every reference is looked up, so that counting look-ups bounds the work. */
function countLookups(lookup: Record<string, Schema | boolean>): Record<string, Schema | boolean> {
  let count = 0;
  return new Proxy(lookup, {
    get(target, key) {
      count += 1;
      if (count > MAX_REFERENCES) {
        throw new LimitExceededError({ what: 'The number of references of an input schema', limit: MAX_REFERENCES });
      }
      return typeof key === 'string' ? target[key] : undefined;
    },
  });
}

function segmentsOf(location: string): string[] {
  const segments = location.split('/').slice(1);
  return segments.map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function pathOf(location: string, ...further: readonly string[]): string {
  return [...segmentsOf(location), ...further].join('.') || 'input';
}

function valueAt(instance: unknown, location: string): unknown {
  let value = instance;
  for (const segment of segmentsOf(location)) value = (value as Record<string, unknown> | undefined)?.[segment];
  return value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
