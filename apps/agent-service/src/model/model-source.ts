import type { Summarize } from '@agent-workspace/ai-sdk';
import { isTextUIPart, type LanguageModel, type UIMessage } from 'ai';
import { scriptedModel } from './scripted-model.ts';
import { scriptFor } from './scripts.ts';

/** What answers the turns of the service. */
export interface ModelSource {
  readonly name: string;
  /** Summarises what is compressed. Default: the model does it itself. */
  readonly summarize?: Summarize | undefined;
  /** The model for a turn that goes on from these messages. */
  forTurn(messages: readonly UIMessage[]): LanguageModel;
}

/** @param model an id for the AI gateway. Default: a scripted model. */
export function modelSource(model: string | undefined): ModelSource {
  if (model !== undefined) return { name: model, forTurn: () => model };
  return {
    name: 'scripted',
    summarize: ({ messages, previousSummary }) =>
      [...(previousSummary === undefined ? [] : [previousSummary]), `- ${messages.length} messages more`].join('\n'),
    forTurn: (messages) => {
      const asked = messages.findLastIndex(({ role }) => role === 'user');
      const turn = messages.filter(({ role }) => role === 'user').length;
      const steps = messages.slice(asked + 1).flatMap(({ parts }) => parts.filter(({ type }) => type === 'step-start'));
      return scriptedModel({ steps: scriptFor(textOf(messages[asked]), turn), stepsDone: steps.length, turn });
    },
  };
}

/** The texts of a message, one after the other. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (isTextUIPart(part) ? part.text : '')).join('');
}
