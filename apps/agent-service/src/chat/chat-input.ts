import { randomUUID } from 'node:crypto';
import { isToolUIPart, type UIMessage } from 'ai';
import { z } from 'zod';
import { ServiceError } from '../http/service-error.ts';
import { PERMISSION_MODES, type PermissionMode } from '../options.ts';

const idSchema = z.string().min(1).max(200);

/** A file comes with its bytes: what a URL leads to would be fetched by the service, from inside its network. */
const userPartSchema = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('file'),
    mediaType: z.string().max(200),
    filename: z.string().max(255).optional(),
    url: z.string().startsWith('data:', 'a file is given as a data: URL'),
  }),
]);

const userMessageSchema = z.object({
  id: idSchema.optional(),
  role: z.literal('user'),
  parts: z.array(userPartSchema).min(1).max(100),
});

const approvalSchema = z.object({
  id: idSchema,
  approved: z.boolean(),
  reason: z.string().max(2_000).optional(),
});

/** Of an assistant's message that a client sends back, only what it says of approvals is looked at. */
const answeredPartSchema = z.looseObject({ approval: z.unknown().optional() });
const assistantMessageSchema = z.object({ role: z.literal('assistant'), parts: z.array(answeredPartSchema) });

const messageSchema = z.union([userMessageSchema, assistantMessageSchema]);
const newestSchema = z
  .array(z.unknown())
  .min(1)
  .transform((messages) => messages.at(-1))
  .pipe(messageSchema);

type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly filename?: string | undefined;
      readonly url: string;
    };

interface UserMessage {
  readonly id?: string | undefined;
  readonly role: 'user';
  readonly parts: readonly UserPart[];
}

interface AssistantMessage {
  readonly role: 'assistant';
  readonly parts: readonly { readonly approval?: unknown }[];
}

export interface ChatBody {
  readonly message?: UserMessage | AssistantMessage | undefined;
  /** The newest of those that were sent. */
  readonly messages?: UserMessage | AssistantMessage | undefined;
  readonly text?: string | undefined;
  readonly approvals?: readonly Approval[] | undefined;
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined;
  readonly permissionMode?: PermissionMode | undefined;
}

export interface Approval {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

export const chatBodySchema: z.ZodType<ChatBody> = z.object({
  message: messageSchema.optional(),
  messages: newestSchema.optional(),
  text: z.string().min(1).optional(),
  approvals: z.array(approvalSchema).min(1).max(100).optional(),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
});

/** What a client wants of a session. */
export type ChatInput =
  | { readonly kind: 'message'; readonly message: UIMessage }
  | { readonly kind: 'approvals'; readonly approvals: readonly Approval[] }
  | { readonly kind: 'regenerate' };

/** @throws `request-invalid` */
export function toChatInput(body: ChatBody): ChatInput {
  if (body.trigger === 'regenerate-message') return { kind: 'regenerate' };
  if (body.approvals !== undefined) return { kind: 'approvals', approvals: body.approvals };
  if (body.text !== undefined) return toUserMessage({ role: 'user', parts: [{ type: 'text', text: body.text }] });
  const message = body.message ?? body.messages;
  if (message === undefined) {
    throw new ServiceError(
      'request-invalid',
      'Give message, messages, text, approvals, or trigger: "regenerate-message".',
    );
  }
  if (message.role === 'user') return toUserMessage(message);
  const approvals = message.parts.flatMap(({ approval }) => {
    const parsed = approvalSchema.safeParse(approval);
    return parsed.success ? [parsed.data] : [];
  });
  if (approvals.length > 0) return { kind: 'approvals', approvals };
  throw new ServiceError('request-invalid', "The newest message is an assistant's, and it answers no approval.");
}

function toUserMessage({ id, role, parts }: UserMessage): ChatInput {
  const clean = parts.map((part): UIMessage['parts'][number] => {
    if (part.type === 'text') return part;
    const { filename, ...file } = part;
    return filename === undefined ? file : { ...file, filename };
  });
  return { kind: 'message', message: { id: id ?? randomUUID(), role, parts: clean } };
}

/** Ids of the approvals that a history waits for. */
export function pendingApprovals(messages: readonly UIMessage[]): readonly string[] {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (isToolUIPart(part) && part.state === 'approval-requested' ? [part.approval.id] : []));
}
