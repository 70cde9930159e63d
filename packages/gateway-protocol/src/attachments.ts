import { lazy } from '@agent-workspace/core';
import { z } from 'zod';
import type { WireSchema } from './wire-schema.ts';

/*
 *   GET    /health             without a token → {status: 'ok'}; with one → Health
 *   GET    /attachments/{id}   → {isAttached}: anyone's
 *   PUT    /attachments/{id}   RenewRequest → Attachment: one's own alone
 *   DELETE /attachments/{id}   → DetachAnswer: one's own alone; what it started ends, background
 *                              commands with the last one
 *   DELETE /calls/{id}         → {isCancelled}
 *
 * An attachment is made over the admin socket alone: one line of JSON, AddAttachmentRequest, answered by
 * one line, {"ok": true} or {"ok": false, "reason": "…"}.
 */

/** How long an attachment lives unless it is renewed. */
export const ATTACHMENT_TTL_MS = 30_000;

/** How often a host renews: two losses are survived. */
export const ATTACHMENT_RENEWAL_MS = 10_000;

export interface Health {
  readonly status: 'ok';
  readonly protocol: number;
  /** SHA-256 of the gateway's file, in hex: two of the same do the same. */
  readonly bundleHash: string;
  /** Made anew by every start. */
  readonly instance: string;
  readonly kind: string;
  /** As the agent sees it. */
  readonly workdir: string;
  /** Of the asker. */
  readonly attachmentId: string;
  /** That are alive, the asker's among them. */
  readonly attachments: number;
}

/** What the helper hands over inside of the sandbox. */
export interface AddAttachmentRequest {
  readonly token: string;
  readonly attachmentId: string;
  readonly ttlMs: number;
}

export interface AttachmentSchemas {
  readonly alive: WireSchema<{ readonly status: 'ok' }>;
  readonly health: WireSchema<Health>;
  readonly add: WireSchema<AddAttachmentRequest>;
  readonly renew: WireSchema<{ readonly ttlMs?: number | undefined }>;
  readonly attachment: WireSchema<{ readonly attachmentId: string; readonly expiresInMs: number }>;
  readonly known: WireSchema<{ readonly isAttached: boolean }>;
  readonly detached: WireSchema<{ readonly attachments: number }>;
  readonly cancelled: WireSchema<{ readonly isCancelled: boolean }>;
}

export const attachmentSchemas: () => AttachmentSchemas = lazy(() => {
  const status = z.literal('ok');
  // What goes into a header as it is, and is hard to guess.
  const token = z.string().regex(/^[\w-]{32,256}$/, 'a token has 32 to 256 letters, digits, "_" or "-"');
  const attachmentId = z.string().regex(/^[\w-]{1,128}$/, 'an id has 1 to 128 letters, digits, "_" or "-"');
  const ttlMs = z.number().int().min(1_000).max(86_400_000);
  return {
    alive: z.object({ status }),
    health: z.object({
      status,
      protocol: z.number().int(),
      bundleHash: z.string(),
      instance: z.string(),
      kind: z.string(),
      workdir: z.string().startsWith('/'),
      attachmentId: z.string(),
      attachments: z.number().int(),
    }),
    add: z.object({ token, attachmentId, ttlMs }),
    renew: z.object({ ttlMs: ttlMs.optional() }),
    attachment: z.object({ attachmentId, expiresInMs: z.number() }),
    known: z.object({ isAttached: z.boolean() }),
    detached: z.object({ attachments: z.number().int().min(0) }),
    cancelled: z.object({ isCancelled: z.boolean() }),
  };
});
