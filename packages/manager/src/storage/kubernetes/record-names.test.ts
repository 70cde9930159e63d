import { describe, expect, it } from 'vitest';
import { labelValue, recordName } from './record-names.ts';

const IDS = ['w', 'W', '', ' ', 'a/b', 'a:b', '../x', 'ü', '😀', 'a\0b', 'x'.repeat(5_000), '["agent","u","a"]'];
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe('recordName', () => {
  it('is a DNS label, and another one for each service, kind and id', () => {
    const kinds = ['workspace', 'binding', 'replica', 'service'] as const;
    const names = ['one', 'two'].flatMap((service) =>
      kinds.flatMap((kind) => IDS.map((id) => recordName(service, kind, id))),
    );
    expect(names.filter((name) => !DNS_LABEL.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is the same ever after', () => {
    expect(recordName('default', 'workspace', 'w')).toBe('aw-w-1vjm5mvgkkuou492fhimpkk42105o9klmaav0s236rgpno0pquel');
  });
});

describe('labelValue', () => {
  it.each(['default', 'a', 'A.b_c-d', 'x'.repeat(63)])('takes %j as it is', (text) => {
    expect(labelValue(text)).toBe(text);
  });

  it.each(['', '-a', 'a-', 'a b', 'ü', 'x'.repeat(64), '0'.repeat(52)])('puts a hash for %j', (text) => {
    expect(labelValue(text)).toMatch(/^(?!0{52})[0-9a-v]{52}$/);
  });
});
