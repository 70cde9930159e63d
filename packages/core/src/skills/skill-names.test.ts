import { describe, expect, it } from 'vitest';
import { firstFreeFolder, firstFreeName, foldName, folderNameFor, isFolderNameOf, isVariantOf } from './skill-names.ts';

describe('folderNameFor', () => {
  it.each([
    ['pdf-notes', 'pdf-notes'],
    ['Weekly Report: Ünï', 'Weekly_Report__Ünï'],
    ['日本語 スキル', '日本語_スキル'],
    ['../../etc/passwd', '______etc_passwd'],
    ['.hidden', '_hidden'],
    ['😀', '_'],
    ['', 'skill'],
    ['CON', 'CON_'],
    ['x'.repeat(300), 'x'.repeat(120)],
    ['ü'.repeat(100), 'ü'.repeat(60)],
    ['日'.repeat(50), '日'.repeat(40)],
  ])('puts %j into %j', (name, folder) => {
    expect(folderNameFor(name)).toBe(folder);
  });
});

describe('unique names', () => {
  it('counts names and folders up from one', () => {
    const taken = ['x', 'x (1)', 'x_1', 'x_2'];
    expect(firstFreeName('x', (name) => taken.includes(name))).toBe('x (2)');
    expect(firstFreeFolder('x', (name) => taken.includes(name))).toBe('x_3');
    expect(firstFreeName('y', (name) => taken.includes(name))).toBe('y');
  });

  it('knows what was made from a name', () => {
    expect(isVariantOf('x (12)', 'x')).toBe(true);
    expect(isVariantOf('x (1) (2)', 'x')).toBe(false);
    expect(isVariantOf('xy', 'x')).toBe(false);
    expect(isFolderNameOf('a_b_2', 'a b')).toBe(true);
    expect(isFolderNameOf('a_b_c', 'a b')).toBe(false);
  });

  it('takes spellings for one that a file system may take for one', () => {
    expect(foldName('\u00DC')).toBe(foldName('u\u0308'));
    expect(foldName('straße')).toBe(foldName('STRASSE'));
    expect(foldName('a')).not.toBe(foldName('b'));
  });
});
