import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellLine } from './shell-line.ts';

describe('shellLine', () => {
  it('hands every argument over as it is', () => {
    const words = ["it's", '$HOME', '`id`', 'a  b', '', '"', '\\', '*', 'line\nline', '-n'];
    const line = shellLine(['printf', '%s|', ...words], { before: [], after: [] });
    expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(words.map((word) => `${word}|`).join(''));
  });

  it("puts directories around the shell's PATH", () => {
    const line = shellLine(['/bin/sh', '-c', 'echo "$PATH"'], { before: ['/a b', '/c'], after: ['/d'] });
    const printed = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
    expect(printed).toBe('/a b:/c:/usr/bin:/bin:/d\n');
  });
});
