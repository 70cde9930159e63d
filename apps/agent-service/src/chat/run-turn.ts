import { randomUUID } from 'node:crypto';
import { WorkspaceError } from '@agent-workspace/core';
import { convertToModelMessages, type ToolLoopAgent, toUIMessageStream, type ToolSet, type UIMessage } from 'ai';
import { textOf } from '../model/model-source.ts';
import type { PermissionMode } from '../options.ts';
import type { Service } from '../service.ts';
import type { PlacedMessage, SessionKey } from '../store/service-store.ts';
import { makeAgent } from './agent.ts';
import { positionOf } from './assemble.ts';
import { type ChatInput, pendingApprovals } from './chat-input.ts';
import { applyInput, openHistory } from './history.ts';
import { settleMessage } from './settle-message.ts';
import type { Turn, TurnOutcome } from './turn.ts';
import { chatInProgress } from './turns.ts';

const TITLE_CHARS = 80;
const FAILED = 'The turn failed while the call was under way. Whether it was carried out is not known.';

export interface StartTurnOptions {
  readonly key: SessionKey;
  readonly input: ChatInput;
  /** Default: the session's last one. */
  readonly permissionMode: PermissionMode | undefined;
}

/**
 * Starts a turn. It goes on by itself, whoever follows it.
 *
 * @returns when the model is about to be asked, with the message stored
 * @throws what keeps it from starting; then nothing of it is stored
 */
export async function startTurn(service: Service, options: StartTurnOptions): Promise<Turn> {
  const turn = service.turns.claim(options.key);
  const started = Promise.withResolvers<void>();
  let hasStarted = false;
  const onStart = (): void => {
    hasStarted = true;
    started.resolve();
  };
  turn.ended = runTurn(service, turn, { ...options, onStart })
    .catch((error: unknown) => {
      started.reject(error);
      if (!hasStarted) return;
      service.logger.error('A turn broke off.', { workspaceId: turn.workspaceId, error });
      turn.log.append({ type: 'error', errorText: shownError(error) });
    })
    .finally(() => {
      // In this order: who has seen the end of it may begin the next.
      service.turns.release(turn);
      turn.close();
    });
  await started.promise;
  return turn;
}

async function runTurn(
  service: Service,
  turn: Turn,
  options: StartTurnOptions & { readonly onStart: () => void },
): Promise<void> {
  const { store } = service;
  const { key } = turn;
  if (!(await store.claimTurn(key, (error) => turn.stop(error.message, error)))) throw chatInProgress();
  try {
    const history = await openHistory(store, key);
    const messages = applyInput(history.messages, options.input);
    const permissionMode =
      options.permissionMode ?? (await store.findSession(key))?.permissionMode ?? service.options.permissionMode;
    await using lease = await service.workspaces.lease(key, { signal: turn.signal });
    const { workspaceId } = lease.workspace;
    turn.workspaceId = workspaceId;
    turn.messages = messages;
    const agent = await makeAgent({
      session: lease.session,
      models: service.models,
      messages,
      permissionMode,
      contextBudgetTokens: service.options.contextBudgetTokens,
      compactionStore: {
        load: () => store.loadCompaction(key),
        save: (state) => store.saveCompaction(key, state),
      },
      onProblem: ({ server, error }) =>
        service.logger.warn('A server could not be asked for its tools.', { workspaceId, server, error }),
    });
    const title = textOf(messages.find(({ role }) => role === 'user')).slice(0, TITLE_CHARS);
    await store.saveSession(key, { workspaceId, title, permissionMode });
    await store.endTurn(key, history.repaired);
    await storeChanges(service, key, history.messages, messages);
    options.onStart();
    await tellTurn(service, turn, async () => {
      try {
        return await answer(service, turn, agent);
      } catch (error) {
        // While it has the workspace and the session: its calls would go on without it.
        turn.stop(FAILED);
        throw error;
      }
    });
  } finally {
    await store.releaseTurn(key);
  }
}

/** Stores what a client's input has made of the history. */
async function storeChanges(
  { store }: Service,
  key: SessionKey,
  before: readonly UIMessage[],
  after: readonly UIMessage[],
): Promise<void> {
  const changed = after.flatMap((message, position): PlacedMessage[] =>
    before[position] === message ? [] : [{ position, message }],
  );
  await store.putMessages(key, changed, after.length);
}

async function tellTurn(
  service: Service,
  { key, workspaceId = '' }: Turn,
  work: () => Promise<TurnOutcome>,
): Promise<void> {
  const { agentId, sessionId } = key;
  const about = { workspaceId, agentId, sessionId };
  const since = performance.now();
  let outcome: TurnOutcome = 'failed';
  service.tell({ type: 'chat-started' }, about);
  try {
    outcome = await work();
  } finally {
    const durationMs = Math.round(performance.now() - since);
    service.metrics.turnEnded(outcome, durationMs);
    service.tell({ type: 'chat-ended', outcome, durationMs }, about);
  }
}

/** Lets the agent answer, and stores what it says as it says it. */
async function answer(service: Service, turn: Turn, agent: ToolLoopAgent<never, ToolSet>): Promise<TurnOutcome> {
  const { key, messages, signal } = turn;
  let said: UIMessage | undefined;
  let hasFailed = false;
  const onError = (error: unknown): string => {
    if (!signal.aborted) service.logger.warn('A turn failed.', { workspaceId: turn.workspaceId, error });
    return shownError(error);
  };
  const prompt = await convertToModelMessages([...messages], { tools: agent.tools });
  const { stream } = await agent.stream({ messages: prompt, abortSignal: signal });
  const chunks = toUIMessageStream({
    stream,
    tools: agent.tools,
    originalMessages: [...messages],
    generateMessageId: randomUUID,
    // What a failed call has told the model is what it tells the user.
    redactToolErrors: false,
    onError,
    onEnd: ({ responseMessage }) => {
      said = responseMessage;
    },
  });
  for await (const chunk of chunks) {
    if (chunk.type === 'error') hasFailed = true;
    await service.store.appendChunk(key, chunk);
    turn.log.append(chunk);
  }
  const message = said === undefined || said.parts.length === 0 ? undefined : settled(said, turn);
  await service.store.endTurn(key, message && { position: positionOf(messages, message), message });
  if (turn.stopReason !== undefined) return 'stopped';
  if (message !== undefined && pendingApprovals([message]).length > 0) return 'awaiting-approval';
  return hasFailed ? 'failed' : 'completed';
}

function settled(message: UIMessage, { stopReason }: Turn): UIMessage {
  return settleMessage(message, { reason: stopReason ?? FAILED, keepsApprovals: stopReason === undefined });
}

/** What a tenant may know of a failure. */
function shownError(error: unknown): string {
  if (WorkspaceError.isInstance(error)) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : 'The model failed.';
}
