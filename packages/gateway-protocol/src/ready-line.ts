import { lazy } from '@agent-workspace/core';
import { z } from 'zod';
import type { WireSchema } from './wire-schema.ts';

/** What a gateway says on stdout once it can be connected to, as a line of JSON. */
export interface ReadyLine {
  readonly type: 'ready';
  readonly protocol: number;
  /** Of the program. */
  readonly version: string;
  /** What this start of it is called. */
  readonly instance: string;
  readonly pid: number;
  /** Where it listens, if that is a port. */
  readonly port?: number | undefined;
  /** Whom it has admitted before it said so. */
  readonly attachmentId?: string | undefined;
}

export const readyLineSchema: () => WireSchema<ReadyLine> = lazy(() =>
  z.object({
    type: z.literal('ready'),
    protocol: z.number(),
    version: z.string(),
    instance: z.string(),
    pid: z.number(),
    port: z.number().optional(),
    attachmentId: z.string().optional(),
  }),
);
