import { useEffect, useMemo, useState } from 'preact/hooks';
import { useServices } from '../hooks/services.ts';
import { Chat, type ChatView } from './chat.ts';

export interface UsedChat {
  readonly chat: Chat;
  readonly view: ChatView;
}

/** The conversation of a session, for as long as it is looked at. */
export function useChat(agentId: string, sessionId: string): UsedChat {
  const { api, feed } = useServices();
  const chat = useMemo(() => new Chat({ api, agentId, sessionId }), [api, agentId, sessionId]);
  const [view, setView] = useState(chat.view);
  useEffect(() => {
    const unwatch = chat.watch(() => setView(chat.view));
    const unlisten = feed.listen((event) => chat.notice(event));
    void chat.load();
    return () => {
      unwatch();
      unlisten();
      chat.close();
    };
  }, [chat, feed]);
  return { chat, view };
}
