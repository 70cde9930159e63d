import { z } from 'zod';

/** Which requests a fault is for: those that are all of what is named. */
export interface FaultMatch {
  /** Of the control plane: `create`, `connect`, `list`, `get`, `kill`, `pause`, `resume`, `timeout`, … */
  readonly route?: string | undefined;
  /** `api` for the control plane, `envd`, or `port` for any other port of a sandbox. */
  readonly target?: 'api' | 'envd' | 'port' | undefined;
  readonly method?: string | undefined;
  /** The source of a regular expression over the path. */
  readonly path?: string | undefined;
  readonly sandboxId?: string | undefined;
}

/** What goes wrong, how often, and for which requests. */
export interface Fault {
  /** Default: every request. */
  readonly match?: FaultMatch | undefined;
  /** How many requests it meets. Default: all. */
  readonly times?: number | undefined;
  /** The request is answered so much later. Goes with any other kind. */
  readonly latencyMs?: number | undefined;
  /** Answered in place of whoever would. */
  readonly status?: number | undefined;
  /** With `status`. */
  readonly message?: string | undefined;
  /** With `status`: whole seconds, as the SDK reads them. */
  readonly retryAfter?: number | undefined;
  /** The connection is cut: before anything is done, or in the middle of the answer's body. */
  readonly drop?: 'before' | 'mid-stream' | undefined;
  /** With `mid-stream`: how much of the body gets through, in bytes. Default: 0. */
  readonly afterBytes?: number | undefined;
  /** The sandbox is gone, all at once, and the request finds it so. */
  readonly vanish?: true | undefined;
}

/** As {@link Fault}, where the path may be a regular expression itself. */
export interface FaultOptions extends Omit<Fault, 'match'> {
  /** Default: every request. */
  readonly match?: (Omit<FaultMatch, 'path'> & { readonly path?: string | RegExp | undefined }) | undefined;
}

export const faultSchema: z.ZodType<Fault> = z.strictObject({
  match: z
    .strictObject({
      route: z.string().optional(),
      target: z.enum(['api', 'envd', 'port']).optional(),
      method: z.string().optional(),
      path: z.string().refine(isRegularExpression, 'is no regular expression').optional(),
      sandboxId: z.string().optional(),
    })
    .optional(),
  times: z.int().min(1).optional(),
  latencyMs: z.number().min(0).optional(),
  status: z.int().min(400).max(599).optional(),
  message: z.string().optional(),
  retryAfter: z.int().min(0).optional(),
  drop: z.enum(['before', 'mid-stream']).optional(),
  afterBytes: z.int().min(0).optional(),
  vanish: z.literal(true).optional(),
});

function isRegularExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
