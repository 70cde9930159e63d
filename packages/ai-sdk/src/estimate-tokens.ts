import type { ModelMessage } from 'ai';

/** UTF-8 bytes for one token, on the average of English, code and JSON; a little high for Chinese. */
const BYTES_PER_TOKEN = 4;
/** What providers count for a large image. */
const TOKENS_PER_MEDIUM = 1_600;

const MEDIA_TYPES = new Set(['image', 'file', 'reasoning-file', 'file-data', 'image-data']);

/**
 * Roughly how many tokens a text or messages take, without asking a provider. Media count as one
 * large image each.
 */
export function estimateTokens(subject: string | readonly ModelMessage[]): number {
  let media = 0;
  const countMedia = (_key: string, value: unknown): unknown => {
    if (!isMediaPart(value)) return value;
    media += 1;
    return null;
  };
  const text = typeof subject === 'string' ? subject : JSON.stringify(subject, countMedia);
  return Math.ceil(Buffer.byteLength(text, 'utf8') / BYTES_PER_TOKEN) + media * TOKENS_PER_MEDIUM;
}

/** As much of the beginning of a text as that many tokens hold, roughly, and a mark where it was cut. */
export function cutToTokens(text: string, tokens: number): string {
  const bytes = Buffer.from(text, 'utf8');
  const limit = Math.floor(tokens * BYTES_PER_TOKEN);
  if (bytes.length <= limit) return text;
  // A character that was cut in two leaves a replacement character at the end.
  return `${bytes
    .subarray(0, limit)
    .toString('utf8')
    .replace(/\uFFFD$/u, '')}…`;
}

function isMediaPart(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (!MEDIA_TYPES.has(value.type as string)) return false;
  // A document given as text is counted as the text that it is.
  const data = 'data' in value ? value.data : undefined;
  return !(typeof data === 'object' && data !== null && 'type' in data && data.type === 'text');
}
