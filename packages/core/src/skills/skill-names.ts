/** Leaves room for a suffix below what file systems take. */
const MAX_FOLDER_BYTES = 120;

/** Names that some file systems keep for devices. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;

/** How names are compared where a file system takes two spellings for one. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * The folder for a skill of this name, as AgentScope has it: what is neither a word character in
 * Unicode nor `-` becomes `_`. Never empty, reserved or longer than 120 bytes.
 */
export function folderNameFor(name: string): string {
  let folder = '';
  let bytes = 0;
  for (const character of name.replaceAll(/[^\p{L}\p{N}_\u4E00-\u9FFF-]/gu, '_')) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_FOLDER_BYTES) break;
    folder += character;
  }
  if (folder === '') return 'skill';
  return RESERVED.test(folder) ? `${folder}_` : folder;
}

/** Whether `folder` is one that a skill of this name is given, with or without a number. */
export function isFolderNameOf(folder: string, name: string): boolean {
  const expected = folderNameFor(name);
  return folder === expected || (folder.startsWith(`${expected}_`) && /^_[0-9]+$/.test(folder.slice(expected.length)));
}

/** Whether `unique` is `name` itself or `name (1)`, `name (2)`, … */
export function isVariantOf(unique: string, name: string): boolean {
  return unique === name || (unique.startsWith(`${name} (`) && /^ \([0-9]+\)$/.test(unique.slice(name.length)));
}

/** `name`, or the first of `name (1)`, `name (2)`, … that is free. */
export function firstFreeName(name: string, isTaken: (candidate: string) => boolean): string {
  return firstFree(name, isTaken, (number) => `${name} (${number})`);
}

/** `folder`, or the first of `folder_1`, `folder_2`, … that is free. */
export function firstFreeFolder(folder: string, isTaken: (candidate: string) => boolean): string {
  return firstFree(folder, isTaken, (number) => `${folder}_${number}`);
}

function firstFree(
  base: string,
  isTaken: (candidate: string) => boolean,
  numbered: (number: number) => string,
): string {
  let candidate = base;
  for (let number = 1; isTaken(candidate); number += 1) candidate = numbered(number);
  return candidate;
}
