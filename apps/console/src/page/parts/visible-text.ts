/**
 * What is not seen, or changes how what follows is seen: controls, and the marks that reorder text.
 * A name that has them could pass for another.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** A name of someone else's with such characters written out, as `\u{202E}`. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`);
}
