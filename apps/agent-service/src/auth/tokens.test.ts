import { silentLogger } from '@agent-workspace/core';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../options.ts';
import { Failures } from './failures.ts';
import { loadTokens } from './load-tokens.ts';
import { TenantTokens } from './tenant-tokens.ts';

const A = 'token-a-0123456789';
const B = 'token-b-0123456789';

const load = (options: Partial<Parameters<typeof loadTokens>[0]>): ReturnType<typeof loadTokens> =>
  loadTokens({ tokensFile: undefined, tokensJson: undefined, isSingleTenant: false, logger: silentLogger, ...options });

describe('TenantTokens', () => {
  it('knows whose a token is, and keeps none', () => {
    const tokens = new TenantTokens({ [A]: 'alpha', [B]: 'beta' });
    expect([tokens.find(A), tokens.find(B), tokens.find(`${A}x`), tokens.find('')]).toEqual([
      'alpha',
      'beta',
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(tokens)).not.toContain(A);
  });
});

describe('loadTokens', () => {
  it('makes one where none is configured, another each time', async () => {
    const [first, second] = await Promise.all([load({}), load({})]);
    expect(first.tokens.find(first.made ?? '')).toBe('owner');
    expect(first.made).not.toBe(second.made);
    expect(first.made?.length).toBeGreaterThanOrEqual(32);
  });

  it('takes those of the file and of the environment', async () => {
    await using directory = await TemporaryDirectory.create({ 'tokens.json': JSON.stringify({ [A]: 'alpha' }) });
    const { tokens, made } = await load({ tokensFile: directory.at('tokens.json'), tokensJson: `{"${B}":"beta"}` });
    expect([tokens.find(A), tokens.find(B), made]).toEqual(['alpha', 'beta', undefined]);
  });

  it.each([
    ['no JSON', `{"${A}"`, /is not JSON/u],
    ['a short token', '{"secret":"alpha"}', /at least 16 characters/u],
    ['no tenant', `{"${A}":""}`, /a tenant has a name/u],
    ['a list', `["${A}"]`, /has to be/u],
    ['nothing', '{}', /There is no token/u],
  ])('refuses %s without telling a token', async (_what, tokensJson, reason) => {
    const error = await load({ tokensJson }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(reason);
    expect((error as Error).message).not.toContain(A);
    expect((error as Error).message).not.toContain('secret');
  });

  it('has one tenant where that is what was asked for', async () => {
    const tokensJson = JSON.stringify({ [A]: 'alpha', [B]: 'beta' });
    await expect(load({ tokensJson, isSingleTenant: true })).rejects.toThrow(/--single-tenant is for one tenant/u);
  });
});

describe('Failures', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has an address wait after many, and others not', () => {
    const failures = new Failures();
    for (let count = 0; count < 19; count += 1) failures.add('1.2.3.4');
    expect(failures.waitMs('1.2.3.4')).toBe(0);
    failures.add('1.2.3.4');
    expect(failures.waitMs('1.2.3.4')).toBe(60_000);
    expect(failures.waitMs('5.6.7.8')).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(failures.waitMs('1.2.3.4')).toBe(0);
    failures.add('1.2.3.4');
    expect(failures.waitMs('1.2.3.4')).toBe(0);
  });
});
