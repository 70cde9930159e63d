import type { Backend, Logger } from '@agent-workspace/core';
import { Attachments, type AttachmentEnd } from '../attachments/attachments.ts';
import { AttachedHost } from './attached-host.ts';
import { BackgroundHandles } from './background-handles.ts';

export interface AttachedHostsOptions {
  readonly backend: Backend;
  readonly logger: Logger;
}

/** Everyone who is attached, with what is theirs. */
export class AttachedHosts {
  readonly attachments: Attachments;
  readonly #options: AttachedHostsOptions;
  readonly #background: BackgroundHandles;
  readonly #hosts = new Map<string, AttachedHost>();

  constructor(options: AttachedHostsOptions) {
    this.#options = options;
    this.#background = new BackgroundHandles(options.backend);
    this.attachments = new Attachments({ onEnd: (attachmentId, end) => this.#end(attachmentId, end) });
  }

  /** Whose token this is. */
  authenticate(token: string): AttachedHost | undefined {
    const attachmentId = this.attachments.authenticate(token);
    if (attachmentId === undefined) return undefined;
    const known = this.#hosts.get(attachmentId);
    if (known !== undefined) return known;
    const host = new AttachedHost({
      attachmentId,
      ...this.#options,
      background: this.#background,
      isAlone: () => this.attachments.size <= 1,
    });
    this.#hosts.set(attachmentId, host);
    return host;
  }

  /** Ends what every one of them has, background commands included. */
  async close(): Promise<void> {
    await Promise.all([this.#background.endAll(), ...[...this.#hosts.values()].map((host) => host.close())]);
  }

  async #end(attachmentId: string, end: AttachmentEnd): Promise<void> {
    const { backend, logger } = this.#options;
    const host = this.#hosts.get(attachmentId);
    this.#hosts.delete(attachmentId);
    logger.info('Detached', { attachmentId, end });
    try {
      await host?.close();
      // A host that merely vanished may come back for its background commands.
      if (end === 'revoked' && this.attachments.size === 0) {
        await Promise.all([backend.endProcesses(), this.#background.endAll()]);
      }
    } catch (error) {
      logger.error('Could not end all that an attachment had', { attachmentId, error });
    }
  }
}
