import { simulateStreamingMiddleware, wrapLanguageModel } from 'ai';
import { type Answer, type ModelPrompt, scriptedModel } from './scripted-model.ts';

/** As `scriptedModel`, for `streamText`. */
export function streamingModel(
  ...answers: readonly (Answer | ((prompt: ModelPrompt) => Answer))[]
): ReturnType<typeof wrapLanguageModel> {
  return wrapLanguageModel({ model: scriptedModel(...answers), middleware: simulateStreamingMiddleware() });
}
