import { expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

it.each([
  ['plain name.txt', 'plain name.txt'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['דוח.txt', 'דוח.txt'],
  ['photo\u{202E}gpj.exe', 'photo\\u{202E}gpj.exe'],
  ['two\nlines\t', 'two\\u{A}lines\\u{9}'],
  ['zero\u{200B}width', 'zero\\u{200B}width'],
])('writes out what is not seen of %j', (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});
