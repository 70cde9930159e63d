import { describe, expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

describe('mergePatch', () => {
  it('merges objects, removes by null, and leaves both as they were', () => {
    const base = { a: { b: 1, c: 2 }, d: 3 };
    expect(mergePatch(base, { a: { b: null, e: 4 }, f: undefined })).toStrictEqual({ a: { c: 2, e: 4 }, d: 3 });
    expect(base).toStrictEqual({ a: { b: 1, c: 2 }, d: 3 });
  });

  it('merges lists of what has a name by it, and adds what is new', () => {
    const base = {
      containers: [
        { name: 'workspace', env: [{ name: 'A', value: '1' }], volumeMounts: [{ mountPath: '/w', name: 'w' }] },
      ],
    };
    const patch = {
      containers: [
        {
          name: 'workspace',
          env: [
            { name: 'A', value: '2' },
            { name: 'B', value: '3' },
          ],
          volumeMounts: [{ mountPath: '/w', readOnly: true }],
        },
        { name: 'sidecar', image: 'x' },
      ],
    };
    expect(mergePatch(base, patch)).toStrictEqual({
      containers: [
        {
          name: 'workspace',
          env: [
            { name: 'A', value: '2' },
            { name: 'B', value: '3' },
          ],
          volumeMounts: [{ mountPath: '/w', name: 'w', readOnly: true }],
        },
        { name: 'sidecar', image: 'x' },
      ],
    });
  });

  it('replaces other lists', () => {
    expect(
      mergePatch({ tolerations: [{ key: 'a' }], args: ['a'] }, { tolerations: [{ key: 'b' }], args: [] }),
    ).toStrictEqual({ tolerations: [{ key: 'b' }], args: [] });
  });

  it('takes no key for the prototype of an object', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((merged as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
