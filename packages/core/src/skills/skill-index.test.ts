import { describe, expect, it } from 'vitest';
import { SkillIndex } from './skill-index.ts';

const parse = (value: unknown): SkillIndex => SkillIndex.parse(JSON.stringify(value), '/w/skills/.skills');

describe('SkillIndex', () => {
  it('writes the form that AgentScope writes', () => {
    const index = SkillIndex.empty().with('Ünï', { hash: 'abc', skill_name: 'Ünï (1)' });
    expect(index.stringify(1_795_972_918_862.627)).toBe(
      '{\n  "skills_dir_mtime": 1795972918.862627,\n  "skills": {\n    "Ünï": {\n      "hash": "abc",\n      "skill_name": "Ünï (1)"\n    }\n  }\n}',
    );
  });

  it('keeps the fields that it does not know, in their places', () => {
    const index = SkillIndex.parse(
      '{"later":[1],"skills":{"a":{"note":12345678901234567890,"hash":"1","skill_name":"a"},"b":{"x":1}},"skills_dir_mtime":1}',
      '/i',
    );
    const next = index.with('a', { hash: '2', skill_name: 'z', tree_hash: 't' });
    expect(next.stringify(2_000).replaceAll(/\s/g, '')).toBe(
      '{"skills_dir_mtime":2,"skills":{"a":{"note":12345678901234567890,"hash":"2","skill_name":"z","tree_hash":"t"},"b":{"x":1}},"later":[1]}',
    );
  });

  it('drops a tree hash that no longer counts', () => {
    const index = parse({ skills: { a: { hash: '1', skill_name: 'a', tree_hash: 't' } } });
    expect(index.with('a', { hash: '2', skill_name: 'a' }).entry('a')).toEqual({ hash: '2', skill_name: 'a' });
  });

  it.each([null, 7, [], {}, { hash: 1, skill_name: 'a' }, { hash: '1' }, { hash: '1', skill_name: '' }])(
    'takes the entry %j for none',
    (entry) => {
      expect(parse({ skills: { a: entry } }).entry('a')).toBeUndefined();
    },
  );

  it('looks an entry up among its own alone', () => {
    const index = parse({ skills: {} });
    expect(index.entry('__proto__')).toBeUndefined();
    expect(index.entry('constructor')).toBeUndefined();
    const own = index.with('__proto__', { hash: '1', skill_name: 'p' });
    expect(own.entry('__proto__')).toEqual({ hash: '1', skill_name: 'p' });
    expect(own.stringify(0)).toContain('"__proto__"');
  });

  it.each(['', '{', '[]', '1', '{"skills":[]}', '{"skills":"x"}'])('refuses %j', (text) => {
    expect(() => SkillIndex.parse(text, '/i')).toThrow(expect.objectContaining({ code: 'state-file-invalid' }));
  });
});
