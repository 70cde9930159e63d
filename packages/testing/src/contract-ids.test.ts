import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const BACKEND = 'exec|spawn|background|files|records|trees|search';
const WORKSPACE = 'life|scope|mcp|offload|tools|skills|archives';
const REAL = 'real-mcp';
const ID = new RegExp(`(?:${BACKEND}|${WORKSPACE}|manager|${REAL}):[a-z0-9-]+`);
const here = new URL('./', import.meta.url);

function idsOf(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? '').toSorted();
}

/** At the head of a title: right behind its quote, and a colon after it. */
const titles = new RegExp(`['"\`](${ID.source}): `, 'g');
const rows = new RegExp(`^\\| \`(${ID.source})\` +\\|`, 'gm');

const suites = ['backend-contract/', 'workspace-contract/', 'manager-contract/', 'real-mcp-servers/'].flatMap(
  (folder) => {
    const directory = new URL(folder, here);
    return readdirSync(directory).map((name) => readFileSync(new URL(name, directory), 'utf8'));
  },
);
const inSuites = suites.flatMap((source) => idsOf(source, titles)).toSorted();
const inReadme = idsOf(readFileSync(new URL('../README.md', here), 'utf8'), rows);

describe('ids of the contracts', () => {
  it('are each given once', () => {
    expect(inSuites).toEqual([...new Set(inSuites)]);
  });

  it('are all in the README, which has no others', () => {
    expect(inReadme).toEqual(inSuites);
  });
});
