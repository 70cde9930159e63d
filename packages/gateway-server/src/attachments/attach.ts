import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AdminAnswer } from './admin-socket.ts';

/** For the gateway, which may still be starting its process, to answer. */
const ANSWER_TIMEOUT_MS = 10_000;

export interface AttachOptions {
  readonly adminSocket: string;
  /** What asks for the attachment: a JSON line. Never an argument, which others could read. */
  readonly input: Readable;
}

/** Hands a new attachment over to the gateway of this sandbox. Rejects with the reason if it is refused. */
export async function attach({ adminSocket, input }: AttachOptions): Promise<void> {
  const line = (await text(input)).trim();
  const socket = connect({ path: adminSocket });
  socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('the gateway gave no answer')));
  socket.end(`${line}\n`);
  const answer = JSON.parse(await text(socket)) as AdminAnswer;
  if (!answer.ok) throw new Error(answer.reason);
}
