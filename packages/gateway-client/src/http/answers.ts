import { GatewayAnswerInvalidError, type WorkspaceError } from '@agent-workspace/core';
import { PendingBytes, problemSchema, reviveError } from '@agent-workspace/gateway-protocol';
import type { GatewayAnswer } from './request.ts';

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** @throws `gateway-answer-invalid` */
export function parseJson({ contentType, bytes }: Omit<GatewayAnswer, 'status'>, operation: string): unknown {
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch (error) {
    const reason = `it is no JSON, but ${contentType || 'of no type'}`;
    throw new GatewayAnswerInvalidError({ operation, reason }, { cause: error });
  }
}

/** The error that an answer with an error's status is. @throws `gateway-answer-invalid` */
export function problemError(answer: GatewayAnswer, operation: string): WorkspaceError {
  const problem = problemSchema().safeParse(parseJson(answer, operation));
  if (problem.success) return reviveError(problem.data);
  const reason = `it is an error (${answer.status}) that does not say what is wrong`;
  return new GatewayAnswerInvalidError({ operation, reason }, { cause: problem.error });
}

/** A body as a whole. @throws `gateway-answer-invalid` past `maxBytes` */
export async function atMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  operation: string,
): Promise<Uint8Array> {
  const received = new PendingBytes();
  for await (const chunk of body) {
    if (received.length + chunk.byteLength > maxBytes) {
      throw new GatewayAnswerInvalidError({ operation, reason: `it has more than ${maxBytes} bytes` });
    }
    received.push(chunk);
  }
  return received.take(received.length);
}
