import { describe, expect, it } from 'vitest';
import { FileVersions } from './file-versions.ts';

describe('FileVersions', () => {
  it('does not let a read that began earlier bring an older version back', () => {
    const versions = new FileVersions();
    const reading = versions.next();
    versions.learn('/f', 'written');
    versions.learn('/f', 'read', reading);
    expect(versions.get('/f')).toBe('written');
    versions.learn('/f', 'read later', versions.next());
    expect(versions.get('/f')).toBe('read later');
  });

  it('forgets files that are gone, and the oldest of very many', () => {
    const versions = new FileVersions();
    versions.learn('/f', '1');
    versions.forget('/f');
    expect(versions.get('/f')).toBeUndefined();
    for (let index = 0; index <= 10_000; index += 1) versions.learn(`/${index}`, 'v');
    expect(versions.get('/0')).toBeUndefined();
    expect(versions.get('/10000')).toBe('v');
  });
});
