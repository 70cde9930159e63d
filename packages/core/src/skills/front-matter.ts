import { parseDocument } from 'yaml';
import { MAX_FRONT_MATTER_BYTES } from './skill-limits.ts';

/** The two parts of a SKILL.md. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows the closing line, without blank lines at its head. */
  readonly body: string;
  /** What had to be overlooked to read it. */
  readonly warnings: readonly string[];
}

/** A text without front matter that can be read; the message is a clause that says why. */
export class FrontMatterError extends Error {}

/**
 * Reads the YAML between the `---` lines at the head of a SKILL.md.
 *
 * What people write by hand is taken as it is meant: a byte order mark, CRLF, blank lines and
 * comments before the first line, and values with a colon and no quotes.
 *
 * @throws FrontMatterError
 */
export function parseFrontMatter(text: string): FrontMatter {
  const warnings: string[] = [];
  const start = skipLeadIn(text);
  if (start > 0 && text.slice(0, start) !== '\uFEFF') {
    warnings.push('there is a blank line or a comment before the front matter');
  }
  const { yaml, body } = split(text.slice(start));
  if ((yaml.match(INDICATORS)?.length ?? 0) > MAX_INDICATORS) {
    throw new FrontMatterError('its front matter is more than a list of fields');
  }
  let fields = parseMapping(yaml);
  if (fields instanceof FrontMatterError) {
    const quoted = parseMapping(quotePlainValues(yaml));
    if (quoted instanceof FrontMatterError) throw fields;
    warnings.push('a value in the front matter needs quotes to be YAML');
    fields = quoted;
  }
  return { fields, body, warnings };
}

/** Where the first line is that is neither blank nor an HTML comment. */
function skipLeadIn(text: string): number {
  let position = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const rest = text.slice(position);
    const blank = /^(?:[ \t]*\r?\n)+/.exec(rest)?.[0].length ?? 0;
    if (blank > 0) {
      position += blank;
    } else if (rest.startsWith('<!--')) {
      const end = rest.indexOf('-->');
      if (end === -1) return position;
      position += end + '-->'.length;
    } else {
      return position;
    }
  }
}

function split(text: string): { yaml: string; body: string } {
  const opening = /^---[ \t]*\r?\n/.exec(text);
  if (opening === null) throw new FrontMatterError('it does not begin with front matter, which a line --- opens');
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$/m;
  const head = text.slice(opening[0].length, opening[0].length + MAX_FRONT_MATTER_BYTES + 8);
  const end = closing.exec(head);
  if (end === null) {
    throw new FrontMatterError(
      head.length < text.length - opening[0].length
        ? `its front matter is longer than ${MAX_FRONT_MATTER_BYTES} bytes, or no line --- closes it`
        : 'no line --- closes its front matter',
    );
  }
  const yaml = head.slice(0, end.index).replaceAll('\r\n', '\n');
  if (Buffer.byteLength(yaml) > MAX_FRONT_MATTER_BYTES) {
    throw new FrontMatterError(`its front matter is longer than ${MAX_FRONT_MATTER_BYTES} bytes`);
  }
  const body = text.slice(opening[0].length + end.index + end[0].length).replace(/^(?:[ \t]*\r?\n)+/, '');
  return { yaml, body };
}

/** Characters that structure YAML. Past the cap, what is left of 16 KiB can only be meant to cost time. */
const INDICATORS = /[[\]{}&*!?]|[:-](?=\s)/g;
const MAX_INDICATORS = 1_000;

function parseMapping(yaml: string): Record<string, unknown> | FrontMatterError {
  let value: unknown;
  try {
    const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
    const [error] = document.errors;
    if (error !== undefined) return new FrontMatterError(`its front matter is no YAML: ${firstLine(error.message)}`);
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // Aliases, and brackets nested deeper than the stack.
    const reason = error instanceof Error ? error.message : String(error);
    return new FrontMatterError(`its front matter is refused: ${firstLine(reason)}`);
  }
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return new FrontMatterError('its front matter is no list of fields');
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/[.:]$/, '');
}

/** `key: value` at the head of a line, where the value is neither quoted nor a block. */
const PLAIN_FIELD = /^([A-Za-z_][\w-]*):[ \t]+([^\s|>"'].*)$/;

/** Puts into quotes each top-level value that is no YAML by itself, with the lines that continue it. */
function quotePlainValues(yaml: string): string {
  const lines = yaml.split('\n');
  const result: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, key, first] = PLAIN_FIELD.exec(line) ?? [];
    if (key === undefined || first === undefined) {
      result.push(line);
      continue;
    }
    const value = [first.trim()];
    const block = [line];
    while (/^[ \t]+\S/.test(lines[index + 1] ?? '')) {
      index += 1;
      value.push((lines[index] ?? '').trim());
      block.push(lines[index] ?? '');
    }
    const isYaml = !(parseMapping(block.join('\n')) instanceof FrontMatterError);
    result.push(isYaml ? block.join('\n') : `${key}: ${JSON.stringify(value.join(' '))}`);
  }
  return result.join('\n');
}
