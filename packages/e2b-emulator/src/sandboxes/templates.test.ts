import { describe, expect, it } from 'vitest';
import { Templates } from './templates.ts';

const templates = new Templates({ base: { aliases: ['small'] }, 'with-tools': {} });

describe('templates', () => {
  it.each(['base', 'small', 'base:latest', 'base:default', 'team/base', templates.all[0]?.templateId ?? ''])(
    'are found by %s',
    (reference) => {
      expect(templates.find(reference)).toMatchObject({ kind: 'found', template: { name: 'base' } });
    },
  );

  it('have ids that look like those of E2B and stay the same', () => {
    expect(templates.all.map(({ templateId }) => templateId)).toEqual([
      new Templates({ base: {} }).all[0]?.templateId,
      expect.stringMatching(/^[a-z0-9]{20}$/),
    ]);
  });

  it('tell an unknown name from an unknown tag', () => {
    expect(templates.find('x:y')).toEqual({ kind: 'unknown-template', name: 'x:y' });
    expect(templates.find('base:v2')).toEqual({ kind: 'unknown-tag', name: 'base', tag: 'v2' });
  });
});
