import type { Readable } from 'node:stream';
import { GatewayRequestInvalidError } from '@agent-workspace/core';
import { type AddAttachmentRequest, attachmentSchemas, parseRequest } from '@agent-workspace/gateway-protocol';

const MAX_LINE_LENGTH = 16 * 1024;
/** For whoever asks to say what it wants. */
const TIMEOUT_MS = 5_000;
const OPERATION = 'an attachment';

/** Reads one line and no more. Rejects if it is too long, does not come in time, or never ends. */
async function readLine(stream: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const refuse = (reason: string): void => reject(new GatewayRequestInvalidError({ operation: OPERATION, reason }));
  const timer = setTimeout(() => refuse('no line came in time'), TIMEOUT_MS);
  let text = '';
  const read = (piece: string): void => {
    text += piece;
    const end = text.indexOf('\n');
    if (text.length > MAX_LINE_LENGTH) refuse('the line is too long');
    else if (end >= 0) resolve(text.slice(0, end));
  };
  stream.setEncoding('utf8');
  stream.on('data', read);
  stream.once('end', () => refuse('the line has no end'));
  stream.once('error', (error) => refuse(error.message));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stream.off('data', read);
    stream.pause();
  }
}

/** An attachment as a JSON line. @throws `gateway-request-invalid`, with nothing of the line, which may hold a token */
export async function readAttachment(stream: Readable): Promise<AddAttachmentRequest> {
  const line = await readLine(stream);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's own message quotes the line.
    throw new GatewayRequestInvalidError({ operation: OPERATION, reason: 'the line is not JSON' });
  }
  return parseRequest(attachmentSchemas().add, value, OPERATION);
}
