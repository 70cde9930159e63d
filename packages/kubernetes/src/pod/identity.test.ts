import { describe, expect, it } from 'vitest';
import { labelSelector, labelValue, podName } from './identity.ts';

const IDS = ['a/b c@x', 'a/b-c@x', 'ä'.repeat(300), '', '../..', 'A', 'a', '-a', 'a-', 'x'.repeat(63), 'x'.repeat(64)];

describe('podName', () => {
  it('is a host name, and never that of another workspace', () => {
    const names = [
      ...IDS.map((workspaceId) => podName({ managerId: 'standalone', workspaceId })),
      ...IDS.map((managerId) => podName({ managerId, workspaceId: 'one' })),
    ];
    for (const name of names) expect(name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/);
    expect(new Set(names).size).toBe(names.length);
  });

  it('begins with what is readable of the manager', () => {
    expect(podName({ managerId: 'My Service/eu', workspaceId: 'one' })).toMatch(/^aw-my-service-eu-[0-9a-f]{20}$/);
  });
});

describe('labelValue', () => {
  it('is the id where that is a value, and a hash else; no two ids have the same', () => {
    expect(labelValue('agent-1.x_Y')).toBe('agent-1.x_Y');
    const hash = labelValue('a/b c@x');
    const values = [...IDS, hash].map(labelValue);
    for (const value of values) expect(value).toMatch(/^[a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/);
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('labelSelector', () => {
  it('asks for all of the labels', () => {
    expect(labelSelector({ a: '1', 'x/b': '2' })).toBe('a=1,x/b=2');
  });
});
