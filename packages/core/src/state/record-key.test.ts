import { describe, expect, it } from 'vitest';
import { recordKey } from './record-key.ts';

const key = (line: string): string => recordKey(line).toString('hex');

describe('recordKey', () => {
  it('is 16 bytes', () => {
    expect(recordKey('{"id":"a"}')).toHaveLength(16);
  });

  it('is the same for one id and content, whatever else differs', () => {
    expect(key('{"id":"a","content":[{"type":"text","text":"x"}],"created_at":"1"}')).toBe(
      key('{"created_at":"2", "content":[{"text":"x","type":"text"}], "id":"a"}'),
    );
  });

  it('differs by id and by content', () => {
    const base = key('{"id":"a","content":"x"}');
    expect(key('{"id":"b","content":"x"}')).not.toBe(base);
    expect(key('{"id":"a","content":"y"}')).not.toBe(base);
    expect(key('{"id":"a"}')).not.toBe(base);
  });

  it('keeps apart contents that hold the same values in another order', () => {
    expect(key('{"id":"a","content":[1,2]}')).not.toBe(key('{"id":"a","content":[2,1]}'));
  });

  it('goes by the text of a line that is no JSON object with a string id', () => {
    expect(key('{"id":1}')).not.toBe(key('{ "id": 1 }'));
    expect(key('torn {')).toBe(key('torn {'));
    expect(key('[1]')).not.toBe(key('[2]'));
    expect(key('')).toBe(key(''));
  });

  it('keeps an object apart from a line that spells its id and content', () => {
    expect(key('{"id":"a","content":"x"}')).not.toBe(key('["a","x"]'));
  });

  it('takes a line that is nested more deeply than the stack', () => {
    const deep = `{"id":"a","content":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(key(deep)).toBe(key(deep));
    expect(key(deep)).not.toBe(key(`${deep} `));
  });
});
