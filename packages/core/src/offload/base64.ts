import { Base64InvalidError } from '../errors/base64-invalid-error.ts';

/**
 * Decodes standard base64. White space and missing padding are put up with, since neither changes
 * the bytes; anything else that does not belong is an error, never a shorter file.
 *
 * @throws `base64-invalid`
 */
export function decodeBase64(data: string): Buffer {
  const compact = data.replace(/[\t\n\f\r ]/g, '');
  const digits = compact.replace(/={0,2}$/, '');
  if (digits === '') throw new Base64InvalidError({ reason: 'it is empty' });
  const stray = /[^A-Za-z0-9+/]/.exec(digits);
  if (stray !== null) {
    const hint = digits.startsWith('data:') ? '; leave the "data:…;base64," in front away' : '';
    throw new Base64InvalidError({
      reason: `character ${JSON.stringify(stray[0])} at position ${stray.index} does not belong there${hint}`,
    });
  }
  if (digits.length % 4 === 1) throw new Base64InvalidError({ reason: 'its length cannot be: the end is missing' });
  return Buffer.from(digits, 'base64');
}
