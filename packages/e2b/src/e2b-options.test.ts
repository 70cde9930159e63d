import { describe, expect, it } from 'vitest';
import { checkSandboxOptions, type E2BSandboxOptions } from './e2b-options.ts';

describe('the options of a sandbox', () => {
  it.each<[string, E2BSandboxOptions]>([
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['timeoutMs', { timeoutMs: 10 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['requestTimeoutMs', { requestTimeoutMs: 0 }],
    ['gatewayPort', { gatewayPort: 49_983 }],
    ['gatewayPort', { gatewayPort: 0 }],
    ['template', { template: '' }],
    ['workdir', { workdir: 'relative' }],
    ['workdir', { workdir: '/a/../b' }],
    ['sandboxUrl', { sandboxUrl: 'localhost' }],
    ['metadata', { metadata: { agentWorkspaceId: 'mine' } }],
  ])('refuses a %s that means nothing, 0 included: %j [E11]', (option, options) => {
    expect(() => checkSandboxOptions(options)).toThrow(
      expect.objectContaining({ code: 'e2b-options-invalid', details: { option, reason: expect.any(String) } }),
    );
  });

  it('takes what makes sense', () => {
    expect(() =>
      checkSandboxOptions({
        timeoutMs: 30 * 24 * 3_600_000,
        sandboxUrl: 'http://127.0.0.1:3000',
        metadata: { a: 'b' },
      }),
    ).not.toThrow();
  });
});
