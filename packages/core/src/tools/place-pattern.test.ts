import { describe, expect, it } from 'vitest';
import { placePattern } from './place-pattern.ts';

describe('placePattern', () => {
  it.each([
    ['**/*.ts', undefined, '**/*.ts'],
    ['src/*.ts', undefined, 'src/*.ts'],
    ['..cache/*', undefined, '..cache/*'],
    ['/w/src/**/*.ts', '/w/src', '**/*.ts'],
    ['/w/src/a.ts', '/w/src', 'a.ts'],
    ['/**', '/', '**'],
    ['/a', '/', 'a'],
    ['/w/app/(app)/*', '/w/app/(app)', '*'],
    ['/w/{a,b}/*', '/w', '{a,b}/*'],
    ['../*.ts', '..', '*.ts'],
    ['./src/*', './src', '*'],
  ])('places %s', (pattern, directory, rest) => {
    expect(placePattern(pattern)).toEqual(directory === undefined ? { pattern: rest } : { directory, pattern: rest });
  });

  it('refuses to climb after a wildcard', () => {
    expect(() => placePattern('*/../../x')).toThrow('".." leads out');
    expect(() => placePattern('..')).toThrow('".." leads out');
  });
});
