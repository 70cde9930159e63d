import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Attachments } from './attachments.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TOKEN = 'a'.repeat(43);
const OTHER = 'b'.repeat(43);

const onEnd = vi.fn<(id: string, end: string) => Promise<void>>(() => Promise.resolve());
const make = (): Attachments => new Attachments({ onEnd });
afterEach(() => void onEnd.mockClear());

describe('Attachments', () => {
  it('knows a token by its attachment, and no other', () => {
    const attachments = make();
    attachments.add({ attachmentId: 'one', token: TOKEN, ttlMs: 1000 });
    attachments.add({ attachmentId: 'two', token: OTHER, ttlMs: 1000 });
    expect(attachments.authenticate(TOKEN)).toBe('one');
    expect(attachments.authenticate(OTHER)).toBe('two');
    expect(attachments.authenticate(`${TOKEN}a`)).toBeUndefined();
    expect(attachments.authenticate('')).toBeUndefined();
  });

  it('refuses a token that has expired, and tells of it', () => {
    const attachments = make();
    attachments.add({ attachmentId: 'one', token: TOKEN, ttlMs: 1000 });
    vi.advanceTimersByTime(999);
    expect(attachments.authenticate(TOKEN)).toBe('one');
    expect(attachments.renew('one')).toBe(1000);
    vi.advanceTimersByTime(999);
    expect(attachments.authenticate(TOKEN)).toBe('one');
    expect(attachments.renew('one', 5000)).toBe(5000);
    vi.advanceTimersByTime(4999);
    expect(attachments.authenticate(TOKEN)).toBe('one');
    vi.advanceTimersByTime(1);
    expect(attachments.authenticate(TOKEN)).toBeUndefined();
    expect(attachments.renew('one')).toBeUndefined();
    expect(onEnd.mock.calls).toEqual([['one', 'expired']]);
  });

  it('refuses a token as soon as it is revoked, and only that one', async () => {
    const attachments = make();
    attachments.add({ attachmentId: 'one', token: TOKEN, ttlMs: 1000 });
    attachments.add({ attachmentId: 'two', token: OTHER, ttlMs: 1000 });
    const revoked = attachments.revoke('one');
    expect(attachments.authenticate(TOKEN)).toBeUndefined();
    await revoked;
    await attachments.revoke('one');
    await attachments.revoke('three');
    expect(attachments.authenticate(OTHER)).toBe('two');
    expect(attachments.size).toBe(1);
    expect(onEnd.mock.calls).toEqual([['one', 'revoked']]);
  });

  it('gives an attachment that is added again its new token and a new life', () => {
    const attachments = make();
    attachments.add({ attachmentId: 'one', token: TOKEN, ttlMs: 1000 });
    vi.advanceTimersByTime(900);
    attachments.add({ attachmentId: 'one', token: OTHER, ttlMs: 1000 });
    vi.advanceTimersByTime(900);
    expect(attachments.authenticate(TOKEN)).toBeUndefined();
    expect(attachments.authenticate(OTHER)).toBe('one');
  });
});
