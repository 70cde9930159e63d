import type { ContentBlock, Message } from '@agent-workspace/core';

/** A user message with one line of text. */
export function userMessage(id: string, text: string): Message {
  return message('user', id, [{ type: 'text', text, id: `${id}-text`, created_at: null, finished_at: null }]);
}

/** An assistant message with these blocks. */
export function assistantMessage(id: string, content: readonly ContentBlock[]): Message {
  return message('assistant', id, content);
}

function message(role: 'user' | 'assistant', id: string, content: readonly ContentBlock[]): Message {
  return { name: role, role, id, content, metadata: {}, created_at: '2026-01-01T00:00:00.000000' };
}

/** 67 bytes of a PNG, one red pixel, in base64. */
export const RED_PIXEL_PNG: string =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
