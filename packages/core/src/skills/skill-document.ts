import { createHash } from 'node:crypto';
import { MAX_SKILL_FILE_BYTES } from './skill-limits.ts';
import { isFolderNameOf } from './skill-names.ts';

/** What a SKILL.md says. */
export interface SkillDocument {
  /** SHA-256 of its bytes, in hex. */
  readonly hash: string;
  /** The name in the front matter, else the folder's. */
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly frontMatter: Readonly<Record<string, unknown>>;
  /** Where it departs from the Agent Skills format. */
  readonly warnings: readonly string[];
}

/** A SKILL.md that cannot be used; the message is a clause that says why. */
export class SkillDocumentError extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1_024;
const MAX_COMPATIBILITY_LENGTH = 500;

export function hashSkillFile(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads a SKILL.md. Only what leaves nothing to show is refused; the rest are warnings.
 *
 * @param folder name of the folder that it is in
 * @throws SkillDocumentError
 * @see https://agentskills.io/specification
 */
export async function parseSkillDocument(bytes: Uint8Array, folder: string): Promise<SkillDocument> {
  if (bytes.byteLength > MAX_SKILL_FILE_BYTES) {
    throw new SkillDocumentError(`its SKILL.md is larger than ${MAX_SKILL_FILE_BYTES} bytes`);
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (error) {
    throw new SkillDocumentError('its SKILL.md is not UTF-8 text', { cause: error });
  }
  const { FrontMatterError, parseFrontMatter } = await import('./front-matter.ts');
  try {
    const { fields, body, warnings } = parseFrontMatter(text);
    const name = toText(fields['name']).replaceAll(/\s+/g, ' ');
    const description = toText(fields['description']);
    return {
      hash: hashSkillFile(bytes),
      name: name === '' ? folder : name,
      description,
      body,
      frontMatter: fields,
      warnings: [
        ...warnings,
        ...nameWarnings(name, folder),
        ...descriptionWarnings(description),
        ...optionalFieldWarnings(fields),
      ],
    };
  } catch (error) {
    if (error instanceof FrontMatterError) throw new SkillDocumentError(error.message, { cause: error });
    throw error;
  }
}

/** A scalar as text without control characters, line feeds apart. */
function toText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return '';
  // oxlint-disable-next-line no-control-regex
  return value.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ').trim();
}

function nameWarnings(name: string, folder: string): string[] {
  if (name === '') return ["it has no name, so its folder's name is used"];
  const warnings: string[] = [];
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    warnings.push('its name should be lower-case letters, digits and single hyphens');
  }
  if (name.length > MAX_NAME_LENGTH) warnings.push(`its name is longer than ${MAX_NAME_LENGTH} characters`);
  if (!isFolderNameOf(folder, name)) warnings.push(`its name ${JSON.stringify(name)} is not that of its folder`);
  return warnings;
}

function descriptionWarnings(description: string): string[] {
  if (description === '') return ['it has no description, so no agent can know when to use it'];
  if (description.length > MAX_DESCRIPTION_LENGTH) {
    return [`its description is longer than ${MAX_DESCRIPTION_LENGTH} characters`];
  }
  return [];
}

function optionalFieldWarnings({ compatibility, metadata }: Readonly<Record<string, unknown>>): string[] {
  const warnings: string[] = [];
  if (typeof compatibility === 'string' && compatibility.length > MAX_COMPATIBILITY_LENGTH) {
    warnings.push(`its compatibility is longer than ${MAX_COMPATIBILITY_LENGTH} characters`);
  }
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    warnings.push('its metadata should be a list of fields');
  }
  return warnings;
}
