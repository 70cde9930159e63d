import { describe, expect, it } from 'vitest';
import { lenientInput } from './lenient-input.ts';

const schema = {
  type: 'object',
  properties: {
    command: { type: 'string' },
    limit: { type: 'integer' },
    all: { type: 'boolean' },
  },
  required: ['command'],
};

const lenient = (input: unknown): unknown => lenientInput(input, { schema, aliases: { '-l': 'limit' } });

describe('lenientInput', () => {
  it('reads numbers and booleans out of strings', () => {
    expect(lenient({ limit: ' 10 ', all: 'True' })).toEqual({ limit: 10, all: true });
    expect(lenient({ command: '10', limit: 'ten', all: 'maybe' })).toEqual({
      command: '10',
      limit: 'ten',
      all: 'maybe',
    });
  });

  it('takes null for left out, except where something has to be given', () => {
    expect(lenient({ command: null, limit: null })).toEqual({ command: null });
    expect(lenient(null)).toEqual({});
  });

  it('knows other names, and prefers the right one', () => {
    expect(lenient({ '-l': '3' })).toEqual({ limit: 3 });
    expect(lenient({ '-l': 3, limit: 4 })).toEqual({ limit: 4 });
  });

  it('leaves out what it does not know', () => {
    expect(lenient(JSON.parse('{"command": "a", "extra": 1, "__proto__": {"limit": 3}}'))).toEqual({ command: 'a' });
  });

  it('leaves alone what is no object', () => {
    expect(lenient('text')).toBe('text');
    expect(lenient([1])).toEqual([1]);
  });
});
