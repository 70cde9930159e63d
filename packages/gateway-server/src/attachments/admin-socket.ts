import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '@agent-workspace/core';
import { listenOnSocket } from '../process/listen-on-socket.ts';
import type { Attachments } from './attachments.ts';
import { readAttachment } from './read-attachment.ts';

export interface AdminSocketOptions {
  readonly path: string;
  readonly attachments: Attachments;
  readonly logger: Logger;
}

/** The answer to one request, as a JSON line. */
export type AdminAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * The way in for a new attachment: a socket that only this user can connect to, so that whoever
 * can run a program in the sandbox can attach, and nobody who merely reaches the API.
 */
export class AdminSocket {
  readonly #options: AdminSocketOptions;
  readonly #server: Server;

  constructor(options: AdminSocketOptions) {
    this.#options = options;
    // The client half-closes after its line and waits for the answer.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  }

  async listen(): Promise<void> {
    await listenOnSocket(this.#server, this.#options.path);
    this.#server.on('error', (error) => this.#options.logger.error('The admin socket failed', { error }));
  }

  close(): void {
    this.#server.close();
  }

  async #serve(socket: Socket): Promise<void> {
    const { attachments, logger } = this.#options;
    let answer: AdminAnswer;
    try {
      const attachment = await readAttachment(socket);
      attachments.add(attachment);
      logger.info('Attached', { attachmentId: attachment.attachmentId, ttlMs: attachment.ttlMs });
      answer = { ok: true };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn('Refused to attach', { reason });
      answer = { ok: false, reason };
    }
    socket.on('error', (error) => logger.debug('A client of the admin socket went away', { error }));
    socket.end(`${JSON.stringify(answer)}\n`, () => socket.destroy());
  }
}
