import type { WorkspaceSession } from '@agent-workspace/core';
import type { LanguageModel, ModelMessage, PrepareStepFunction, ToolSet } from 'ai';
import {
  type CompactionState,
  type CompactionStore,
  memoryStore,
  stateOf,
  summaryMessage,
  withoutMark,
} from './compaction-state.ts';
import { cutToTokens, estimateTokens } from './estimate-tokens.ts';
import { EMPTY_PREFIX_HASH, extendPrefixHash } from './message-hash.ts';
import { splitHistory } from './split-history.ts';
import { type Summarize, summarizeWithModel } from './summarize.ts';
import { toMessages } from './to-messages.ts';
import { waysToRead } from './ways-to-read.ts';

/** Half of the smallest window in common use (200,000), which leaves room for tools and an answer. */
const DEFAULT_CONTEXT_BUDGET_TOKENS = 100_000;
/** The last request with a few calls and their results, so that the agent does not lose its thread. */
const DEFAULT_KEEP_LAST = 8;
/*
 * What each part may fill of what the instructions leave of the budget. Together they leave enough
 * for the next step not to compress again.
 */
const KEPT_SHARE = 0.5;
const SUMMARY_SHARE = 0.2;
const REQUEST_SHARE = 0.1;
/** The user's last request is carried on word by word up to here. */
const MAX_REQUEST_TOKENS = 2_000;

export interface CompactionOptions {
  /** Where the compressed messages go. */
  readonly session: WorkspaceSession;
  /** Compresses when messages and instructions are estimated to be longer. Default 100,000. */
  readonly contextBudgetTokens?: number | undefined;
  /**
   * How many messages stay as they are. Fewer stay where they alone would fill half of what the
   * instructions leave of the budget.
   * Default 8.
   */
  readonly keepLast?: number | undefined;
  /** Default: asks the step's own model. What is longer than a fifth of the budget is cut. */
  readonly summarize?: Summarize | undefined;
  /** Default: roughly four bytes a token, and 1,600 tokens for each image or file. */
  readonly estimateTokens?: ((messages: readonly ModelMessage[]) => number) | undefined;
  /** Where the summary is kept between turns. Default: in memory. */
  readonly store?: CompactionStore | undefined;
  /** The names of the agent's tools, to say how to read the compressed messages. Default: the session's. */
  readonly toolNames?: readonly string[] | undefined;
}

/** The part of a `prepareStep` call that compaction looks at. */
interface Step {
  readonly messages: ModelMessage[];
  readonly stepNumber: number;
  readonly model: LanguageModel;
  readonly instructions: Parameters<PrepareStepFunction<ToolSet>>[0]['instructions'];
}

/** Fits `prepareStep` of every agent, whatever its tools. */
export type CompactionStep = (step: Step) => Promise<{ messages: ModelMessage[] } | undefined>;

/**
 * A `prepareStep` that keeps the context within a budget: the older messages are appended to the
 * session's `context.jsonl`, and a summary with the path takes their place. A call is never parted
 * from its result, and what waits for an approval stays.
 *
 * The loop goes on with the messages that a step returns; between turns its caller still has the
 * whole history, so that the next turn begins by putting the summary in the same place again.
 *
 * @throws what offloading throws, and what `summarize` throws; the messages are safe by then
 */
export function compaction(options: CompactionOptions): CompactionStep {
  const { session, summarize = summarizeWithModel, store = memoryStore() } = options;
  const budget = options.contextBudgetTokens ?? DEFAULT_CONTEXT_BUDGET_TOKENS;
  const keepLast = options.keepLast ?? DEFAULT_KEEP_LAST;
  const estimate = options.estimateTokens ?? estimateTokens;
  const measure = (messages: readonly ModelMessage[]): number => estimate(messages.map(withoutMark));

  const readWith = async (): Promise<string> => {
    const names = options.toolNames ?? (await session.listTools()).map(({ name }) => name);
    return waysToRead(names) ?? 'a tool that reads files';
  };

  return async ({ messages, stepNumber, model, instructions }) => {
    const lead = messages.findIndex(({ role }) => role !== 'system');
    if (lead === -1) return undefined;
    const system = messages.slice(0, lead);
    let body: readonly ModelMessage[] = messages.slice(lead);

    const remembered = stepNumber === 0 && stateOf(body[0]) === undefined ? await store.load() : undefined;
    const isRemembered = remembered !== undefined && beginsWith(body, remembered);
    if (isRemembered) {
      body = [summaryMessage(remembered, await readWith()), ...body.slice(remembered.offloadedCount)];
    }
    const unchanged = isRemembered ? { messages: [...system, ...body] } : undefined;

    const fixedTokens = measure(system) + estimateTokens(JSON.stringify(instructions ?? ''));
    if (fixedTokens + measure(body) <= budget) return unchanged;

    const previous = stateOf(body[0]);
    const history = previous === undefined ? body : body.slice(1);
    const room = Math.max(budget - fixedTokens, 0);
    const fits = (kept: readonly ModelMessage[]): boolean => measure(kept) <= room * KEPT_SHARE;
    const cut = splitHistory(history, { keepLast, fits });
    if (cut === undefined) return unchanged;

    const older = history.slice(0, cut);
    const startPosition = previous?.offloadedCount ?? 0;
    const sessionId = session.scope.sessionId ?? 'default';
    const path = await session.offloadContext(sessionId, toMessages(older, { startPosition }));
    const summary = await summarize({
      messages: older,
      previousSummary: previous?.summary,
      model,
      budgetTokens: budget,
    });
    const state: CompactionState = {
      prefixHash: extendPrefixHash(previous?.prefixHash ?? EMPTY_PREFIX_HASH, older),
      summary: cutToTokens(summary, room * SUMMARY_SHARE),
      offloadedCount: startPosition + older.length,
      path,
      request: latestRequest(history, { cut, previous, maxTokens: Math.min(room * REQUEST_SHARE, MAX_REQUEST_TOKENS) }),
    };
    await store.save(state);
    return { messages: [...system, summaryMessage(state, await readWith()), ...history.slice(cut)] };
  };
}

function beginsWith(body: readonly ModelMessage[], state: CompactionState): boolean {
  if (body.length <= state.offloadedCount) return false;
  return extendPrefixHash(EMPTY_PREFIX_HASH, body.slice(0, state.offloadedCount)) === state.prefixHash;
}

interface Cut {
  readonly cut: number;
  readonly previous: CompactionState | undefined;
  readonly maxTokens: number;
}

/** The user's last words, if they are not among the messages that are kept. */
function latestRequest(history: readonly ModelMessage[], { cut, previous, maxTokens }: Cut): string | undefined {
  const last = history.findLastIndex(({ role }) => role === 'user');
  const message = history[last];
  if (message?.role !== 'user') return previous?.request;
  if (last >= cut) return undefined;
  const { content } = message;
  const text =
    typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return cutToTokens(text, maxTokens);
}
