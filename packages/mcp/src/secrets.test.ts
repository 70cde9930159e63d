import { MCPSecretMissingError } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { resolveSecrets } from './secrets.ts';

const base = { name: 's', field: 'env', secrets: { TOKEN: 't-1', EMPTY: '' } } as const;

describe('resolveSecrets', () => {
  it('replaces placeholders that are a whole value, and those alone', () => {
    const values = { A: '${TOKEN}', B: 'x${TOKEN}', C: '$TOKEN', D: '${TOKEN} ', E: '${EMPTY}', F: '' };
    expect(resolveSecrets({ ...base, values })).toEqual({ ...values, A: 't-1', E: '' });
  });

  it('names the secret that is missing and where it belongs, and never looks elsewhere', () => {
    for (const secret of ['PATH', 'toString', '__proto__']) {
      const resolve = (): unknown => resolveSecrets({ ...base, values: { KEY: `\${${secret}}` } });
      expect(resolve).toThrow(MCPSecretMissingError);
      expect(resolve).toThrow(expect.objectContaining({ details: { name: 's', secret, field: 'env.KEY' } }));
    }
  });
});
