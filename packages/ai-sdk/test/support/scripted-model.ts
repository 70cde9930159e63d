import { MockLanguageModelV4 } from 'ai/test';

type Generate = Extract<
  NonNullable<NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate']>,
  (...parameters: never[]) => unknown
>;
export type ModelPrompt = Parameters<Generate>[0]['prompt'];

/** What the model answers in one step: words, or calls. */
export type Answer = string | readonly { readonly tool: string; readonly input: unknown; readonly id?: string }[];

/** A model that gives these answers in turn. A function gets the prompt that the step was sent. */
export function scriptedModel(
  ...answers: readonly (Answer | ((prompt: ModelPrompt) => Answer))[]
): MockLanguageModelV4 {
  let step = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const next = answers[step];
      step += 1;
      if (next === undefined) throw new Error(`The script has ${answers.length} answers; this is step ${step}.`);
      const answer = typeof next === 'function' ? next(prompt) : next;
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      };
      if (typeof answer === 'string') {
        return await Promise.resolve({
          content: [{ type: 'text', text: answer }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        });
      }
      return await Promise.resolve({
        content: answer.map(({ tool, input, id }, index) => ({
          type: 'tool-call',
          toolCallId: id ?? `call-${step}-${index}`,
          toolName: tool,
          input: JSON.stringify(input),
        })),
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      });
    },
  });
}
