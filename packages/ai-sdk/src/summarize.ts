import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import type { ContentBlock, Message } from '@agent-workspace/core';
import { estimateTokens } from './estimate-tokens.ts';
import { toMessages } from './to-messages.ts';

export interface SummarizeRequest {
  /** The messages to be summarised, oldest first. */
  readonly messages: readonly ModelMessage[];
  /** The summary of what was before them, to be taken up in the new one. */
  readonly previousSummary: string | undefined;
  /** The model of the step that is about to run. */
  readonly model: LanguageModel;
  /** The context budget. A request for a summary that is longer may be more than the model takes. */
  readonly budgetTokens: number;
}

/** Makes a summary of messages that are about to leave the context. */
export type Summarize = (request: SummarizeRequest) => string | Promise<string>;

const INSTRUCTIONS = [
  'You compress the working memory of an agent. Write what the agent needs in order to go on as if it remembered:',
  '1. what the user asked for, constraints included; 2. what has been done and found out, with exact names, paths,',
  'numbers and errors; 3. decisions and their reasons; 4. what is left to do, and the next step.',
  'Write facts from the transcript only, in the language of the user, briefly. Do not answer the user and do not call tools.',
].join(' ');

/** What was asked at first, and more of what was done last. */
const HEAD_SHARE = 0.25;

/** Asks the step's own model for a summary. */
export const summarizeWithModel: Summarize = async ({ messages, previousSummary, model, budgetTokens }) => {
  const earlier = previousSummary === undefined ? '' : `<earlier-summary>\n${previousSummary}\n</earlier-summary>\n`;
  const transcript = cutMiddle(toMessages(messages).map(renderMessage).join('\n'), budgetTokens);
  const { text } = await generateText({
    model,
    instructions: INSTRUCTIONS,
    prompt: `${earlier}<transcript>\n${transcript}\n</transcript>\nWrite the summary.`,
  });
  return text;
};

/** A history that somebody compresses for the first time can be longer than any window. */
function cutMiddle(transcript: string, tokens: number): string {
  const total = estimateTokens(transcript);
  if (total <= tokens) return transcript;
  const share = tokens / total;
  const head = Math.floor(transcript.length * share * HEAD_SHARE);
  const tail = Math.floor(transcript.length * share * (1 - HEAD_SHARE));
  const left = transcript.length - head - tail;
  return `${transcript.slice(0, head)}\n[${left} characters are left out here]\n${transcript.slice(-tail)}`.toWellFormed();
}

function renderMessage(message: Message): string {
  return message.content.map((block) => `[${message.role}] ${renderBlock(block)}`).join('\n');
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return `(thinks) ${block.thinking}`;
    case 'hint':
      return `(note) ${renderContent(block.hint)}`;
    case 'data':
      return `(${block.source.media_type})`;
    case 'tool_call':
      return `(calls ${block.name}) ${block.input}`;
    case 'tool_result':
      return `(${block.name} gave, ${block.state ?? 'success'}) ${renderContent(block.output)}`;
  }
}

function renderContent(content: string | readonly ContentBlock[]): string {
  return typeof content === 'string' ? content : content.map(renderBlock).join('\n');
}
