import { describe, expect, it } from 'vitest';
import { echo, inMemoryServer, outcomeOf, writer } from '../test/support/tools.ts';
import type { ToolHooks } from './tool-hooks.ts';
import { Toolkit } from './toolkit.ts';

const withHooks = (hooks: ToolHooks): Toolkit => new Toolkit({ tools: [echo('Read'), writer('Write')], hooks });

describe('hooks', () => {
  it('changes the input before permissions are looked at', async () => {
    const toolkit = new Toolkit({
      tools: [writer('Write')],
      hooks: { beforeCall: ({ input }) => ({ input: { text: `${(input as { text: string }).text}!` } }) },
      permissions: { tools: { Write: ({ input }) => ((input as { text: string }).text === 'x!' ? 'deny' : 'allow') } },
    });
    expect(await outcomeOf(toolkit, 'Write', { text: 'y' })).toEqual({ state: 'success', text: 'Write: y!' });
    expect(await outcomeOf(toolkit, 'Write', { text: 'x' })).toMatchObject({ state: 'denied' });
  });

  it('answers in place of the tool', async () => {
    const toolkit = withHooks({
      beforeCall: ({ name }) => (name === 'Read' ? { answer: 'from the cache' } : undefined),
    });
    expect(await outcomeOf(toolkit, 'Read')).toEqual({ state: 'success', text: 'from the cache' });
    expect(await outcomeOf(toolkit, 'Write')).toEqual({ state: 'success', text: 'Write: x' });
  });

  it('changes the result, and sees it whole', async () => {
    const toolkit = withHooks({
      afterCall: ({ name }, result) => ({ ...result, content: [{ type: 'text', id: 'r', text: `${name} is done` }] }),
    });
    expect(await outcomeOf(toolkit, 'Read')).toEqual({ state: 'success', text: 'Read is done' });
  });

  it('lets news of a call pass while it runs', async () => {
    const mcps = [
      inMemoryServer('slow', ['x'], {
        async *call() {
          yield { content: [], state: 'running', isLast: false, metadata: { mcp_progress: { progress: 1 } } };
          yield { content: [{ type: 'text', id: 'a', text: 'done' }], state: 'success', isLast: true, metadata: {} };
        },
      }),
    ];
    const toolkit = new Toolkit({ mcps, hooks: { afterCall: () => undefined } });
    const chunks = await Array.fromAsync(toolkit.run('mcp__slow__x', { text: 'x' }));
    expect(chunks).toMatchObject([
      { state: 'running' },
      { state: 'success', content: [{ text: 'done' }], isLast: true },
    ]);
  });

  it('fails the call, and no other, where a hook throws', async () => {
    const onlyFor = (wanted: string) => (call: { readonly name: string }) => {
      if (call.name === wanted) throw new Error('audit log is full');
    };
    const before = withHooks({ beforeCall: onlyFor('Write') });
    expect(await outcomeOf(before, 'Write')).toEqual({
      state: 'error',
      text: 'The hook that comes before Write failed: audit log is full\nIt did not run.',
    });
    expect(await outcomeOf(before, 'Read')).toMatchObject({ state: 'success' });
    const after = withHooks({ afterCall: onlyFor('Write') });
    expect(await outcomeOf(after, 'Write')).toEqual({
      state: 'error',
      text: 'The hook that comes after Write failed: audit log is full\nIt ran, and its result is lost.',
    });
    expect(await outcomeOf(after, 'Write')).toMatchObject({ state: 'error' });
    expect(await outcomeOf(after, 'Read')).toMatchObject({ state: 'success' });
  });

  it('gives up on a hook that never ends with the signal', async () => {
    const toolkit = withHooks({ beforeCall: () => new Promise<undefined>(() => undefined) });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(outcomeOf(toolkit, 'Read', { text: 'x' }, { signal })).rejects.toThrow('stopped');
  });
});
