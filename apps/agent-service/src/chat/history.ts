import type { UIMessage } from 'ai';
import { ServiceError } from '../http/service-error.ts';
import type { PlacedMessage, ServiceStore, SessionKey } from '../store/service-store.ts';
import { assembleMessage, positionOf, withMessage } from './assemble.ts';
import { type Approval, type ChatInput, pendingApprovals } from './chat-input.ts';
import { settleMessage } from './settle-message.ts';

const TORN = 'The service ended while the call was under way. Whether it was carried out is not known.';
const SUPERSEDED = 'The user wrote something else instead of approving it.';

/** A history that a turn can go on from. */
export interface OpenedHistory {
  readonly messages: readonly UIMessage[];
  /** What a turn of before left, with a result for each call, if it was torn. */
  readonly repaired: PlacedMessage | undefined;
}

/** The history of a session in which no turn is under way. */
export async function openHistory(store: ServiceStore, key: SessionKey): Promise<OpenedHistory> {
  const [messages, chunks] = await Promise.all([store.messages(key), store.chunks(key)]);
  if (chunks.length === 0) return { messages, repaired: undefined };
  const torn = await assembleMessage(messages, chunks);
  if (torn === undefined) return { messages, repaired: undefined };
  const message = settleMessage(torn, { reason: TORN, keepsApprovals: true });
  return {
    messages: withMessage(messages, message),
    repaired: { position: positionOf(messages, message), message },
  };
}

/**
 * The history with what a client has to say. Only approvals that are pending are answered, so that nothing
 * a client makes up is taken for a call.
 *
 * @throws `approval-not-pending`, `nothing-to-answer`, `request-invalid`
 */
export function applyInput(history: readonly UIMessage[], input: ChatInput): readonly UIMessage[] {
  switch (input.kind) {
    case 'message':
      return addMessage(history, input.message);
    case 'approvals':
      return answer(history, input.approvals);
    case 'regenerate':
      return regenerate(history);
  }
}

/** A message under an id that is there already takes its place: it was edited, or sent again. */
function addMessage(history: readonly UIMessage[], message: UIMessage): readonly UIMessage[] {
  const position = history.findIndex(({ id }) => id === message.id);
  const before = position === -1 ? history : history.slice(0, position);
  const last = before.at(-1);
  if (last === undefined || pendingApprovals(before).length === 0) return [...before, message];
  return [...before.slice(0, -1), settleMessage(last, { reason: SUPERSEDED, keepsApprovals: false }), message];
}

function answer(history: readonly UIMessage[], approvals: readonly Approval[]): readonly UIMessage[] {
  const pending = pendingApprovals(history);
  const answers = new Map(approvals.map((approval) => [approval.id, approval]));
  if (pending.length === 0 || !approvals.some(({ id }) => pending.includes(id))) {
    throw new ServiceError('approval-not-pending', 'The session waits for no such approval.', { details: { pending } });
  }
  const missing = pending.filter((id) => !answers.has(id));
  if (missing.length > 0) {
    const message = 'Answer all approvals that the session waits for at once.';
    throw new ServiceError('request-invalid', message, { details: { missing } });
  }
  const last = history.at(-1);
  if (last === undefined) return history;
  const parts = last.parts.map((part): UIMessage['parts'][number] => {
    if (!('state' in part) || part.state !== 'approval-requested') return part;
    const given = answers.get(part.approval.id);
    if (given === undefined) return part;
    const { approved, reason } = given;
    const approval = { ...part.approval, approved, ...(reason === undefined ? {} : { reason }) };
    return { ...part, state: 'approval-responded', approval };
  });
  return [...history.slice(0, -1), { ...last, parts }];
}

function regenerate(history: readonly UIMessage[]): readonly UIMessage[] {
  const asked = history.findLastIndex(({ role }) => role === 'user');
  if (asked === -1) throw new ServiceError('nothing-to-answer', 'The session has no message to answer.');
  return history.slice(0, asked + 1);
}
