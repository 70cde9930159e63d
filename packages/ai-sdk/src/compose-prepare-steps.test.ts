import { type ModelMessage, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { composePrepareSteps } from './compose-prepare-steps.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });

describe('composePrepareSteps', () => {
  it('shows each function what those before it changed, and lets the last word count', async () => {
    const model = scriptedModel('done');
    const agent = new ToolLoopAgent({
      model,
      instructions: 'first',
      prepareStep: composePrepareSteps(
        ({ messages, instructions }) => ({
          messages: [...messages, user(JSON.stringify(instructions))],
          system: 'second',
          temperature: 0.1,
        }),
        undefined,
        () => undefined,
        ({ messages, instructions }) => ({
          messages: [...messages, user(JSON.stringify(instructions))],
          temperature: 0.2,
        }),
      ),
    });
    await agent.generate({ prompt: 'go' });
    const call = model.doGenerateCalls[0];
    expect(call?.prompt.map(({ content }) => content)).toEqual([
      'second',
      [{ type: 'text', text: 'go' }],
      [{ type: 'text', text: '"first"' }],
      [{ type: 'text', text: '"second"' }],
    ]);
    expect(call?.temperature).toBe(0.2);
  });

  it('changes nothing when no function does', async () => {
    const model = scriptedModel('done');
    await new ToolLoopAgent({ model, prepareStep: composePrepareSteps(() => undefined) }).generate({ prompt: 'go' });
    expect(model.doGenerateCalls[0]?.prompt).toHaveLength(1);
  });
});
