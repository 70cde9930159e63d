import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ErrorNote } from '../parts/error-note.tsx';
import { Approvals } from './approvals.tsx';
import type { ChatView, Chat } from './chat.ts';
import { Composer } from './composer.tsx';
import { pendingCalls } from './message.ts';
import { MessageView } from './message-view.tsx';

/** Who is this near to the end of the page reads along, and is kept there. */
const NEAR_END_PX = 160;

export interface ConversationProps {
  readonly chat: Chat;
  readonly view: ChatView;
}

/** A conversation, and the form that goes on with it. */
export function Conversation({ chat, view }: ConversationProps): VNode {
  const { isLoaded, messages, session, isRunning, error } = view;
  useReadAlong(messages);
  const pending = isRunning ? [] : pendingCalls(messages);
  const canRetry = !isRunning && pending.length === 0 && error !== undefined && messages.length > 0;
  return (
    <div class="chat">
      <div class="messages" role="log" aria-label="Conversation" aria-busy={isRunning}>
        {!isLoaded && error === undefined && <p class="loading">Loading …</p>}
        {isLoaded && messages.length === 0 && (
          <p class="empty">
            Nothing has been said yet. What you write below begins the session, and makes its workspace.
          </p>
        )}
        {messages.map((message) => (
          <MessageView key={message.id} message={message} />
        ))}
      </div>
      <ErrorNote
        error={error}
        onRetry={canRetry ? () => void chat.send({ trigger: 'regenerate-message' }, undefined) : undefined}
      />
      {pending.length > 0 && (
        <Approvals
          key={pending.map(({ toolCallId }) => toolCallId).join(' ')}
          calls={pending}
          onAnswer={(approvals) => void chat.send({ approvals }, undefined)}
        />
      )}
      <Composer
        mode={session?.permissionMode}
        isRunning={isRunning}
        onSend={(text, mode) => void chat.send({ text }, mode)}
        onStop={() => void chat.stop()}
      />
    </div>
  );
}

/** Keeps the end of the page in view while the conversation grows, unless the reader has gone elsewhere in it. */
function useReadAlong(messages: unknown): void {
  const wasNearEnd = useRef(true);
  const { scrollHeight } = document.documentElement;
  const seenHeight = useRef(scrollHeight);
  wasNearEnd.current = seenHeight.current - scrollY - innerHeight < NEAR_END_PX;
  useLayoutEffect(() => {
    if (wasNearEnd.current) scrollTo(0, document.documentElement.scrollHeight);
    seenHeight.current = document.documentElement.scrollHeight;
  }, [messages]);
}
