import type { Tool } from '@agent-workspace/core';
import { describe, expect, it, vi } from 'vitest';
import { echo, inMemoryServer, namesOf, outcomeOf, writer } from '../test/support/tools.ts';
import type { PermissionCall } from './permissions.ts';
import { Toolkit } from './toolkit.ts';

const tools: readonly Tool[] = [echo('Read'), writer('Write'), writer('Bash')];

describe('permissions', () => {
  it('lets everything run by default', async () => {
    const toolkit = new Toolkit({ tools });
    expect(await outcomeOf(toolkit, 'Write')).toEqual({ state: 'success', text: 'Write: x' });
  });

  it('lists and runs only read-only tools in read-only mode, whatever a rule says', async () => {
    const mcps = [inMemoryServer('web', ['fetch'], { isReadOnly: false }), inMemoryServer('docs', ['find'])];
    const toolkit = new Toolkit({ tools, mcps, permissions: { mode: 'read-only', tools: { Bash: 'allow' } } });
    expect(await namesOf(toolkit)).toEqual(['Read', 'mcp__docs__find']);
    expect(await outcomeOf(toolkit, 'Read')).toEqual({ state: 'success', text: 'Read: x' });
    for (const name of ['Bash', 'Write', 'mcp__web__fetch']) {
      expect(await outcomeOf(toolkit, name, { text: 'x' }, { isApproved: true })).toEqual({
        state: 'denied',
        text: `${name} was denied and did not run: only tools that change nothing are permitted here.`,
      });
    }
  });

  it('asks for what is not read-only in ask mode', async () => {
    const asked: PermissionCall[] = [];
    const approve = (call: PermissionCall): boolean => {
      asked.push(call);
      return call.name === 'Write';
    };
    const toolkit = new Toolkit({ tools, permissions: { mode: 'ask', approve } });
    expect(await outcomeOf(toolkit, 'Read')).toMatchObject({ state: 'success' });
    expect(await outcomeOf(toolkit, 'Write', { text: 'a' }, { toolCallId: 'call-1' })).toMatchObject({
      state: 'success',
    });
    expect(await outcomeOf(toolkit, 'Bash')).toEqual({
      state: 'denied',
      text: 'Bash was denied and did not run: it was not approved.',
    });
    expect(asked.map(({ name, input, toolCallId }) => ({ name, input, toolCallId }))).toEqual([
      { name: 'Write', input: { text: 'a' }, toolCallId: 'call-1' },
      { name: 'Bash', input: { text: 'x' }, toolCallId: undefined },
    ]);
  });

  it('denies what needs an approval where nobody can be asked', async () => {
    const toolkit = new Toolkit({ tools, permissions: { mode: 'ask' } });
    expect(await outcomeOf(toolkit, 'Write')).toEqual({
      state: 'denied',
      text: 'Write was denied and did not run: it needs an approval, and nobody can be asked for it.',
    });
  });

  it('does not ask again for a call that somebody has approved by other means', async () => {
    const approve = vi.fn(() => false);
    const toolkit = new Toolkit({ tools, permissions: { mode: 'ask', approve } });
    expect(await outcomeOf(toolkit, 'Write', { text: 'x' }, { isApproved: true })).toMatchObject({ state: 'success' });
    expect(approve).not.toHaveBeenCalled();
  });

  it('takes the rule of a tool before the mode, by value or by function of the call', async () => {
    const toolkit = new Toolkit({
      tools,
      permissions: {
        mode: 'ask',
        tools: {
          Write: 'allow',
          Bash: ({ input }) => ((input as { text: string }).text.includes('rm') ? 'deny' : 'allow'),
        },
      },
    });
    expect(await outcomeOf(toolkit, 'Write')).toMatchObject({ state: 'success' });
    expect(await outcomeOf(toolkit, 'Bash', { text: 'ls' })).toMatchObject({ state: 'success' });
    expect(await outcomeOf(toolkit, 'Bash', { text: 'rm -r .' }, { isApproved: true })).toEqual({
      state: 'denied',
      text: 'Bash was denied and did not run: this call is not permitted here.',
    });
  });

  it('does not list a tool that is plainly denied, and denies its calls', async () => {
    const toolkit = new Toolkit({ tools, permissions: { tools: { Bash: 'deny' } } });
    expect(await namesOf(toolkit)).toEqual(['Read', 'Write']);
    expect(await outcomeOf(toolkit, 'Bash')).toEqual({
      state: 'denied',
      text: 'Bash was denied and did not run: it is not permitted here.',
    });
  });

  it('takes no inherited property for a rule', async () => {
    const toolkit = new Toolkit({ tools: [writer('constructor')], permissions: { tools: {} } });
    expect(await outcomeOf(toolkit, 'constructor')).toMatchObject({ state: 'success' });
  });

  it.each([
    ['a rule', { tools: { Write: () => Promise.reject(new Error('policy server down')) } }],
    ['approve', { mode: 'ask', approve: () => Promise.reject(new Error('policy server down')) }],
  ] as const)('fails the call, and no other, where %s throws', async (_who, permissions) => {
    const toolkit = new Toolkit({ tools, permissions });
    expect(await outcomeOf(toolkit, 'Write')).toEqual({
      state: 'error',
      text: 'Write did not run, since its permission could not be found out: policy server down',
    });
    expect(await outcomeOf(toolkit, 'Read')).toMatchObject({ state: 'success' });
  });

  it('lets others run while an approval is awaited, and gives up with the signal', async () => {
    const controller = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const { promise: isAsked, resolve: markAsked } = Promise.withResolvers<void>();
    const approve = ({ signal }: PermissionCall): Promise<boolean> => {
      seen.push(signal);
      markAsked();
      return new Promise<boolean>(() => undefined);
    };
    const toolkit = new Toolkit({ tools, permissions: { tools: { Write: 'ask' }, approve } });
    const waiting = outcomeOf(toolkit, 'Write', { text: 'x' }, { signal: controller.signal });
    await isAsked;
    expect(await outcomeOf(toolkit, 'Bash')).toMatchObject({ state: 'success' });
    controller.abort(new Error('the user left'));
    await expect(waiting).rejects.toThrow('the user left');
    expect(seen).toEqual([controller.signal]);
    expect(await outcomeOf(toolkit, 'Bash')).toMatchObject({ state: 'success' });
  });

  it('says the verdict on a call without running it', async () => {
    const permissions = { mode: 'ask', tools: { Bash: 'deny' } } as const;
    const toolkit = new Toolkit({ tools, permissions });
    const verdicts = await Promise.all(
      ['Read', 'Write', 'Bash', 'Nope'].map(async (name) => await toolkit.judge(name, {})),
    );
    expect(verdicts).toEqual(['allow', 'ask', 'deny', 'allow']);
  });

  it('reports a rule for a tool that is not there, such as one that is misspelt', async () => {
    const toolkit = new Toolkit({ tools, permissions: { tools: { bash: 'deny', Write: 'ask', mcp__a__x: 'deny' } } });
    await toolkit.list();
    expect(toolkit.problems).toMatchObject([
      { source: 'the permissions of bash', error: { code: 'toolkit-options-invalid' } },
    ]);
  });
});
