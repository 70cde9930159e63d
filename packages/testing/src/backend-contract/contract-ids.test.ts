import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ID = /(?:exec|spawn|background|files|records|trees|search):[a-z-]+/;
const here = new URL('./', import.meta.url);

function idsOf(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? '').toSorted();
}

/** At the head of a title: right behind its quote, and a colon after it. */
const titles = new RegExp(`['"\`](${ID.source}): `, 'g');
const rows = new RegExp(`^\\| \`(${ID.source})\` +\\|`, 'gm');

const suites = readdirSync(here).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const inSuites = suites.flatMap((name) => idsOf(readFileSync(new URL(name, here), 'utf8'), titles)).toSorted();
const inReadme = idsOf(readFileSync(new URL('../../README.md', here), 'utf8'), rows);

describe('ids of the backend contract', () => {
  it('are each given once', () => {
    expect(inSuites).toEqual([...new Set(inSuites)]);
  });

  it('are all in the README, which has no others', () => {
    expect(inReadme).toEqual(inSuites);
  });
});
