import type { Message, Tool, WorkspaceSession } from '@agent-workspace/core';
import { APICallError, type ModelMessage, ToolLoopAgent } from 'ai';
import type { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { memorySession } from '../test/support/memory-session.ts';
import { scriptedModel } from '../test/support/scripted-model.ts';
import { agentSettings } from './agent-settings.ts';
import { compaction, type CompactionStep } from './compaction.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { toMessages } from './to-messages.ts';

const TURNS = 10;
const BUDGET = 2_000;

/** A tool whose results are offloaded: about 4,000 characters each. */
const look: Tool = {
  name: 'Look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  isReadOnly: true,
  isConcurrencySafe: true,
  isSelfPaging: false,
  async *call(input) {
    const text = `found ${JSON.stringify(input)} ${'x'.repeat(4_000)}`;
    yield await Promise.resolve({
      content: [{ type: 'text', id: 't', text }],
      state: 'success',
      isLast: true,
      metadata: {},
    } as const);
  },
};

interface Step {
  /** What would have been sent without compressing at this step. */
  readonly wouldBeTokens: number;
  readonly sentTokens: number;
  readonly hasSummarised: boolean;
}

interface Conversation {
  readonly history: readonly ModelMessage[];
  readonly offered: readonly Message[];
  readonly stored: readonly Message[];
  readonly steps: readonly Step[];
  readonly model: MockLanguageModelV4;
}

const tokensOf = (messages: readonly ModelMessage[]): number =>
  estimateTokens(messages.map(({ providerOptions: _mark, ...message }) => message as ModelMessage));

/** Ten turns with one agent over one history, with two calls in each. */
async function converse(options: { readonly failEvery?: number } = {}): Promise<Conversation> {
  const memory = memorySession({ tools: [look], scope: { sessionId: 'chat' } });
  const offered: Message[] = [];
  const session: WorkspaceSession = {
    ...memory,
    offloadContext: async (sessionId, messages) => {
      offered.push(...messages);
      return await memory.offloadContext(sessionId, messages);
    },
  };
  let summaries = 0;
  const settings = await agentSettings(session, {
    compaction: false,
    offloadThresholdChars: 1_000,
    previewChars: 400,
    instructions: 'Be brief.',
  });
  const compact = compaction({
    session,
    contextBudgetTokens: BUDGET,
    keepLast: 3,
    toolNames: ['Read'],
    summarize: () => `Summary ${(summaries += 1)}. ${'What was found is told here at length. '.repeat(40)}`,
  });

  const steps: Step[] = [];
  let sent: readonly ModelMessage[] = [];
  let knownLength = 0;
  const watch = async (
    step: Parameters<CompactionStep>[0] & {
      readonly initialMessages: ModelMessage[];
      readonly responseMessages: ModelMessage[];
    },
  ): ReturnType<CompactionStep> => {
    const whole = [...step.initialMessages, ...step.responseMessages];
    const wouldBe = [...sent, ...whole.slice(knownLength)];
    const before = summaries;
    const result = await compact(step);
    sent = result?.messages ?? step.messages;
    knownLength = whole.length;
    const fixedTokens = estimateTokens(JSON.stringify(step.instructions));
    steps.push({
      wouldBeTokens: fixedTokens + tokensOf(wouldBe),
      sentTokens: fixedTokens + tokensOf(sent),
      hasSummarised: summaries > before,
    });
    return result;
  };

  const answers = Array.from({ length: TURNS }, (_, turn) => [
    [{ tool: 'Look', input: { n: turn }, id: `call-${turn}-a` }],
    [{ tool: 'Look', input: { n: turn + 100 }, id: `call-${turn}-b` }],
    `Answer ${turn}. ${'It is so. '.repeat(10)}`,
  ]).flat();
  const model = scriptedModel(...answers);
  if (options.failEvery !== undefined) failSometimes(model, options.failEvery);
  const agent = new ToolLoopAgent({ model, ...settings, prepareStep: watch });
  const history: ModelMessage[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    history.push({ role: 'user', content: `Question ${turn}: ${'what about this? '.repeat(10)}` });
    const { responseMessages } = await agent.generate({ messages: history });
    history.push(...responseMessages);
  }
  return { history, offered, stored: memory.context, steps, model };
}

/** Every so many requests fail once, in a way that the SDK tries again. */
function failSometimes(model: MockLanguageModelV4, every: number): void {
  const generate = model.doGenerate;
  let requests = 0;
  model.doGenerate = async (options) => {
    requests += 1;
    if (requests % every !== 0) return await generate(options);
    throw new APICallError({
      message: 'overloaded',
      url: 'http://127.0.0.1',
      requestBodyValues: {},
      statusCode: 529,
      isRetryable: true,
      responseHeaders: { 'retry-after-ms': '1' },
    });
  };
}

describe('ten turns over one history with a small budget', () => {
  it('puts each message away exactly once, in order', async () => {
    const { history, offered, stored } = await converse();
    expect(history).toHaveLength(TURNS * 6);
    expect(stored.length).toBeGreaterThan(TURNS * 4);
    expect(stored).toEqual(toMessages(history).slice(0, stored.length));
    expect(offered).toEqual(stored);
  });

  it('keeps what each step sends within the budget', async () => {
    const { steps } = await converse();
    expect(steps).toHaveLength(TURNS * 3);
    expect(steps.filter(({ sentTokens }) => sentTokens > BUDGET)).toEqual([]);
  });

  it('asks for a summary when the budget is newly exceeded, and only then', async () => {
    const { steps } = await converse();
    const summarised = steps.filter(({ hasSummarised }) => hasSummarised);
    expect(summarised.length).toBeGreaterThan(2);
    expect(steps.map(({ wouldBeTokens }) => wouldBeTokens > BUDGET)).toEqual(
      steps.map(({ hasSummarised }) => hasSummarised),
    );
  });

  it('sends no call without its result', async () => {
    const { model } = await converse();
    for (const { prompt } of model.doGenerateCalls) {
      const parts = prompt.flatMap(({ content }): readonly object[] => (typeof content === 'string' ? [] : content));
      const idsOf = (type: string): unknown[] =>
        parts.flatMap((part) =>
          'type' in part && part.type === type && 'toolCallId' in part ? [part.toolCallId] : [],
        );
      expect(idsOf('tool-result')).toEqual(idsOf('tool-call'));
    }
  });

  it('is the same where requests to the model fail and are tried again', async () => {
    const smooth = await converse();
    const bumpy = await converse({ failEvery: 4 });
    expect(bumpy.history).toEqual(smooth.history);
    expect(bumpy.offered).toEqual(smooth.offered);
    expect(bumpy.steps).toEqual(smooth.steps);
  });
});
