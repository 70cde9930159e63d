import { describe, expect, it } from 'vitest';
import { FrontMatterError, parseFrontMatter } from './front-matter.ts';

describe('parseFrontMatter', () => {
  it('gives the fields and the text below them', () => {
    expect(parseFrontMatter('---\nname: x\nmetadata: { a: 1 }\n---\n\n\n# Title\n\nText\n')).toEqual({
      fields: { name: 'x', metadata: { a: 1 } },
      body: '# Title\n\nText\n',
      warnings: [],
    });
  });

  it.each([
    ['a byte order mark', '\uFEFF---\nname: x\n---\n', []],
    ['CRLF', '---\r\nname: x\r\n---\r\n', []],
    ['spaces after the lines', '---  \nname: x\n--- \t\n', []],
    ['a closing line of dots', '---\nname: x\n...\n', []],
    ['no line feed at the end', '---\nname: x\n---', []],
    [
      'blank lines before it',
      '\n \r\n---\nname: x\n---\n',
      ['there is a blank line or a comment before the front matter'],
    ],
    [
      'comments of several lines before it',
      '<!-- a\n--- -->\n\n<!-- b -->\n---\nname: x\n---\n',
      ['there is a blank line or a comment before the front matter'],
    ],
  ])('takes front matter with %s', (_case, text, warnings) => {
    expect(parseFrontMatter(text)).toEqual({ fields: { name: 'x' }, body: '', warnings });
  });

  it.each([
    ['Use when: the user asks', 'Use when: the user asks'],
    ['[beta] takes notes', '[beta] takes notes'],
    ['*Always* useful', '*Always* useful'],
    ['@me: and `you`', '@me: and `you`'],
    ['a: b\n  c: d', 'a: b c: d'],
    ['"quoted: text"', 'quoted: text'],
    ['a "quote": here', 'a "quote": here'],
    ['one # comment', 'one'],
  ])('takes the description %j as it is meant', (written, meant) => {
    expect(parseFrontMatter(`---\ndescription: ${written}\nname: x\n---\n`).fields).toEqual({
      description: meant,
      name: 'x',
    });
  });

  it.each([
    ['no front matter', '# Title\n', 'does not begin with front matter'],
    ['nothing', '', 'does not begin with front matter'],
    ['a comment that is not closed', '<!-- a\n---\nname: x\n---\n', 'does not begin with front matter'],
    ['no closing line', '---\nname: x\n', 'no line --- closes'],
    ['a closing line past the cap', `---\n${'# x\n'.repeat(5_000)}---\n`, 'longer than 16384 bytes'],
    ['16 KiB of characters of several bytes', `---\nname: ${'ü'.repeat(9_000)}\n---\n`, 'longer than 16384 bytes'],
    ['a list', '---\n- a\n---\n', 'no list of fields'],
    ['a tab for an indent', '---\nmetadata:\n\ta: 1\n---\n', 'no YAML'],
    ['an alias', '---\nmetadata:\n  a: &a [x]\n  b: *a\n---\n', 'refused'],
    ['brackets without end', `---\nmetadata:\n  a: ${'['.repeat(16_000)}\n---\n`, 'more than a list of fields'],
    ['brackets in great number', `---\nmetadata:\n  a: ${'['.repeat(900)}\n---\n`, 'no YAML'],
  ])('refuses %s', (_case, text, reason) => {
    expect(() => parseFrontMatter(text)).toThrow(FrontMatterError);
    expect(() => parseFrontMatter(text)).toThrow(reason);
  });

  it('gives no field but its own', () => {
    const { fields } = parseFrontMatter('---\n__proto__: { polluted: true }\nname: x\n---\n');
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect('polluted' in fields).toBe(false);
  });

  it('reads what could make a regular expression run long in no time', () => {
    const startedAt = performance.now();
    for (const text of [`---\n${' \n'.repeat(100_000)}`, '\n'.repeat(250_000), '<!---->'.repeat(30_000)]) {
      expect(() => parseFrontMatter(text)).toThrow(FrontMatterError);
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
