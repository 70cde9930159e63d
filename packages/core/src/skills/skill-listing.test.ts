import { describe, expect, it } from 'vitest';
import type { SkillDocument } from './skill-document.ts';
import { SkillIndex } from './skill-index.ts';
import { assignNames, updateIndex } from './skill-listing.ts';
import type { ScannedSkill } from './skill-scan.ts';

const skill = (folder: string, name: string, hash = folder): ScannedSkill => {
  const document: SkillDocument = { hash, name, description: 'd', body: '', frontMatter: {}, warnings: [] };
  return { folder, document };
};

const indexOf = (skills: Readonly<Record<string, unknown>>): SkillIndex =>
  SkillIndex.parse(JSON.stringify({ skills }), '/i');

describe('assignNames', () => {
  it('numbers names in the order of their folders', () => {
    const names = assignNames([skill('a', 'x'), skill('b', 'x'), skill('c', 'x (1)')], SkillIndex.empty());
    expect([...names.values()]).toEqual(['x', 'x (1)', 'x (1) (1)']);
  });

  it('leaves a name to the skill that has it in the index', () => {
    const index = indexOf({ b: { hash: 'b', skill_name: 'x' } });
    expect(assignNames([skill('a', 'x'), skill('b', 'x')], index)).toEqual(
      new Map([
        ['b', 'x'],
        ['a', 'x (1)'],
      ]),
    );
  });

  it('keeps the name of a skill whose text was improved, and drops one that was changed', () => {
    const index = indexOf({ a: { hash: 'old', skill_name: 'x (2)' }, b: { hash: 'old', skill_name: 'y' } });
    expect(assignNames([skill('a', 'x'), skill('b', 'z')], index)).toEqual(
      new Map([
        ['a', 'x (2)'],
        ['b', 'z'],
      ]),
    );
  });

  it('gives one name once, whatever the index says', () => {
    const index = indexOf({ a: { hash: 'a', skill_name: 'x' }, b: { hash: 'b', skill_name: 'x' } });
    expect([...assignNames([skill('a', 'x'), skill('b', 'x')], index).values()]).toEqual(['x', 'x (1)']);
  });
});

describe('updateIndex', () => {
  it('leaves right entries as they are, and takes out what is gone', () => {
    const entries = {
      a: { hash: 'a', skill_name: 'a', tree_hash: 't', note: 1 },
      broken: { odd: true },
      gone: { hash: 'g', skill_name: 'g' },
    };
    const next = updateIndex(indexOf(entries), {
      folders: new Set(['a', 'broken', 'new']),
      skills: [skill('a', 'a'), skill('new', 'n')],
      names: new Map([
        ['a', 'a'],
        ['new', 'n'],
      ]),
      treeHashes: new Map([['new', 'u']]),
    });
    expect(JSON.parse(next.stringify(0))).toEqual({
      skills_dir_mtime: 0,
      skills: { a: entries.a, broken: entries.broken, new: { hash: 'new', skill_name: 'n', tree_hash: 'u' } },
    });
  });
});
