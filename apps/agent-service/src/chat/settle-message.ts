import { isToolUIPart, type UIMessage } from 'ai';

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { readonly toolCallId: string }>;

export interface SettleOptions {
  /** Why calls that have no result will get none. */
  readonly reason: string;
  /** Calls that wait for an approval go on waiting. */
  readonly keepsApprovals: boolean;
}

/**
 * A message of a turn that is over, so that another turn can go on from it: each call has a result. One that was
 * under way gets an error for it, since whether it was carried out is not known.
 */
export function settleMessage(message: UIMessage, options: SettleOptions): UIMessage {
  return { ...message, parts: message.parts.map((part) => settlePart(part, options)) };
}

function settlePart(part: Part, options: SettleOptions): Part {
  if (part.type === 'text' || part.type === 'reasoning') {
    return part.state === 'streaming' ? { ...part, state: 'done' } : part;
  }
  return isToolUIPart(part) ? settleCall(part, options) : part;
}

function settleCall(part: ToolPart, { reason, keepsApprovals }: SettleOptions): ToolPart {
  switch (part.state) {
    case 'approval-requested':
      if (keepsApprovals) return part;
      return { ...part, state: 'output-denied', approval: { ...part.approval, approved: false, reason } };
    case 'input-streaming':
    case 'input-available':
      return { ...part, state: 'output-error', input: part.input ?? {}, errorText: reason };
    case 'approval-responded':
      if (!part.approval.approved) return { ...part, state: 'output-denied' } as ToolPart;
      return { ...part, state: 'output-error', errorText: reason } as ToolPart;
    case 'output-available':
      // The last of what a call had shown of itself, and not its result.
      if (part.preliminary !== true) return part;
      return withoutOutput({ ...part, state: 'output-error', errorText: reason } as ToolPart);
    case 'output-error':
    case 'output-denied':
      return part;
  }
}

function withoutOutput(part: ToolPart): ToolPart {
  const {
    output: _output,
    preliminary: _preliminary,
    ...rest
  } = part as ToolPart & {
    readonly output?: unknown;
    readonly preliminary?: unknown;
  };
  return rest as ToolPart;
}
