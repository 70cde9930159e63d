import type { LanguageModel } from 'ai';

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type CallOptions = Parameters<Model['doStream']>[0];
type Prompt = CallOptions['prompt'];
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Streamed = Awaited<ReturnType<Model['doStream']>>;
type StreamPart = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never;
type ToolOutput = Extract<
  Extract<Prompt[number], { readonly role: 'tool' }>['content'][number],
  { readonly type: 'tool-result' }
>['output'];

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a step has to go by: the results of the last step's calls, as the model was sent them. */
export interface StepView {
  /** In their order; what failed or was denied is a text, too. */
  readonly results: readonly string[];
}

/** What a model answers. */
export type Answer =
  | { readonly calls: readonly Call[] }
  | {
      readonly say: string;
      /** Has more to say, and never does: it is waited for until somebody stops it. */
      readonly isEndless?: boolean | undefined;
    };

export type Step = (view: StepView) => Answer;

export interface ScriptedModelOptions {
  readonly steps: readonly Step[];
  /** Steps that were taken before, such as by the turn that asked for an approval. */
  readonly stepsDone: number;
  /** Makes the ids of calls different from those of other turns. */
  readonly turn: number;
}

/** Costs nothing here, so that nothing is counted. */
const USAGE: Generated['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** A language model whose wits are a script: it takes the same steps each time, on what it is sent. */
export function scriptedModel({ steps, stepsDone, turn }: ScriptedModelOptions): Model {
  let position = stepsDone;
  const next = (prompt: Prompt): { readonly answer: Answer; readonly idPrefix: string } => {
    const step = steps[position];
    position += 1;
    if (step === undefined) throw new Error(`The script has ${steps.length} steps, and is asked for one more.`);
    return { answer: step({ results: resultsOf(prompt) }), idPrefix: `call-${turn}-${position}` };
  };
  return {
    specificationVersion: 'v4',
    provider: 'agent-service',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async () => await Promise.reject(new Error('The scripted model only streams.')),
    doStream: async ({ prompt, abortSignal }) => {
      const { answer, idPrefix } = next(prompt);
      return await Promise.resolve({ stream: toStream(answer, idPrefix, abortSignal) });
    },
  };
}

function toStream(answer: Answer, idPrefix: string, signal: AbortSignal | undefined): ReadableStream<StreamPart> {
  const isEndless = 'say' in answer && answer.isEndless === true;
  const parts = partsOf(answer, idPrefix, isEndless);
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      const next = parts.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (isEndless) controller.error(await aborted(signal));
      else controller.close();
    },
  });
}

async function aborted(signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined) throw new Error('Nobody could stop this.');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return signal.reason;
}

function partsOf(answer: Answer, idPrefix: string, isEndless: boolean): StreamPart[] {
  const start: StreamPart = { type: 'stream-start', warnings: [] };
  if ('calls' in answer) {
    const calls = answer.calls.map(({ tool, input }, index): StreamPart => ({
      type: 'tool-call',
      toolCallId: `${idPrefix}-${index + 1}`,
      toolName: tool,
      input: JSON.stringify(input),
    }));
    return [start, ...calls, finish('tool-calls')];
  }
  const id = 'text';
  const words = answer.say.split(/(?<= )/u).map((delta): StreamPart => ({ type: 'text-delta', id, delta }));
  const said: StreamPart[] = [start, { type: 'text-start', id }, ...words];
  return isEndless ? said : [...said, { type: 'text-end', id }, finish('stop')];
}

function finish(unified: 'stop' | 'tool-calls'): StreamPart {
  return { type: 'finish', finishReason: { unified, raw: undefined }, usage: USAGE };
}

function resultsOf(prompt: Prompt): readonly string[] {
  const last = prompt.at(-1);
  if (last?.role !== 'tool') return [];
  return last.content.flatMap((part) => (part.type === 'tool-result' ? [textOf(part.output)] : []));
}

function textOf(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    case 'execution-denied':
      return `denied: ${output.reason ?? 'no reason was given'}`;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
  }
}
