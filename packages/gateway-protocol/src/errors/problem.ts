import { lazy } from '@agent-workspace/core';
import { z } from 'zod';
import type { WireSchema } from '../wire-schema.ts';

/** An error as it travels. @see RFC 9457 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly isRetryable: boolean;
}

export const problemSchema: () => WireSchema<Problem> = lazy(() =>
  z.object({
    type: z.string().default('about:blank'),
    title: z.string().default(''),
    status: z.number().int().min(400).max(599),
    detail: z.string().default(''),
    code: z.string(),
    details: z.record(z.string(), z.unknown()).default({}),
    isRetryable: z.boolean().default(false),
  }),
);
