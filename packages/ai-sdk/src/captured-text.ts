import type { CapturedOutput } from '@agent-workspace/core';

/** Output as text, with a line in place of what was dropped from the middle. */
export function capturedText({ head, tail, droppedBytes }: CapturedOutput): string {
  const decoder = new TextDecoder();
  if (droppedBytes === 0) return decoder.decode(head);
  return `${decoder.decode(head)}\n[${droppedBytes} bytes are left out here]\n${decoder.decode(tail)}`;
}
