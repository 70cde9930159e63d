import { expect, it } from 'vitest';
import { secretsNamedBy } from './secrets-named-by.ts';

const secrets = { TOKEN: 'hunter2', OTHER: 'secret' };

it('secretsNamedBy lets only those into the sandbox that the declaration has a placeholder for', () => {
  const stdio = { name: 's', transport: 'stdio', command: 'x', args: ['${OTHER}'], isStateful: true } as const;
  expect(secretsNamedBy({ ...stdio, env: { A: '${TOKEN}', B: 'x ${OTHER}', C: '${MISSING}' } }, secrets)).toEqual({
    TOKEN: 'hunter2',
  });
  const http = { name: 'h', transport: 'http', url: 'http://x/', isStateful: false } as const;
  expect(secretsNamedBy({ ...http, headers: { Authorization: '${OTHER}', X: '${toString}' } }, secrets)).toEqual({
    OTHER: 'secret',
  });
});
