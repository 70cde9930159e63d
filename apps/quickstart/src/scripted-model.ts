import type { LanguageModel } from 'ai';

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type Prompt = Parameters<Model['doGenerate']>[0]['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type ToolOutput = Extract<
  Extract<Prompt[number], { readonly role: 'tool' }>['content'][number],
  { readonly type: 'tool-result' }
>['output'];

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a step of a script has to go by: what the model was sent, and nothing else. */
export interface StepView {
  /** The texts of the results of the last step's calls, in their order. Throws if one failed. */
  readonly results: readonly string[];
  /** How many images are among them. */
  readonly images: number;
  /** Every text of the prompt. */
  readonly prompt: string;
}

/** What a model answers: calls, or its last words. */
export type Step = (view: StepView) => readonly Call[] | string;

/** Costs nothing here, so that nothing is counted. */
const USAGE: Generated['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** A language model whose wits are a script: it takes the same steps each time, on what it is sent. */
export function scriptedModel(steps: readonly Step[]): Model {
  let position = 0;
  return {
    specificationVersion: 'v4',
    provider: 'quickstart',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const step = steps[position];
      position += 1;
      if (step === undefined) throw new Error(`The script has ${steps.length} steps, and the agent asks for one more.`);
      return await Promise.resolve(toGenerated(step(viewOf(prompt)), position));
    },
    doStream: async () => await Promise.reject(new Error('The scripted model does not stream. Use generate().')),
  };
}

function toGenerated(answer: readonly Call[] | string, position: number): Generated {
  if (typeof answer === 'string') {
    return {
      content: [{ type: 'text', text: answer }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: USAGE,
      warnings: [],
    };
  }
  return {
    content: answer.map(({ tool, input }, index) => ({
      type: 'tool-call',
      toolCallId: `call_${position}_${index + 1}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage: USAGE,
    warnings: [],
  };
}

function viewOf(prompt: Prompt): StepView {
  const last = prompt.at(-1);
  const outputs = last?.role === 'tool' ? last.content.filter((part) => part.type === 'tool-result') : [];
  const parts = outputs.flatMap(({ output }) => (output.type === 'content' ? output.value : []));
  return {
    // Looked at only by steps that need them, since a failed call is no text to go by.
    get results() {
      return outputs.map(({ output }) => textOf(output));
    },
    images: parts.filter((part) => part.type === 'file' && part.mediaType.startsWith('image/')).length,
    prompt: prompt.map(messageText).join('\n'),
  };
}

function messageText(message: Prompt[number]): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function textOf(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    case 'error-text':
      throw new Error(`A call of the script failed: ${output.value}`);
    case 'json':
    case 'error-json':
    case 'execution-denied':
      throw new Error(`The script cannot go on from this result: ${JSON.stringify(output)}`);
  }
}
