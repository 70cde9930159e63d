import { z } from 'zod';
import { uint32 } from '../connect/parse-request.ts';

/** Protobuf leaves an empty string and `false` out. */
const text = z.string().default('');
const flag = z.boolean().default(false);

/** Requests of `filesystem.Filesystem`. */
export const pathRequest: z.ZodType<{ path: string }> = z.object({ path: text });

export const listDirRequest: z.ZodType<{ path: string; depth: number }> = z.object({
  path: text,
  depth: uint32.default(0),
});

export const moveRequest: z.ZodType<{ source: string; destination: string }> = z.object({
  source: text,
  destination: text,
});

export interface WatchRequest {
  readonly path: string;
  readonly recursive: boolean;
  readonly includeEntry: boolean;
  readonly allowNetworkMounts: boolean;
}

export const watchRequest: z.ZodType<WatchRequest> = z.object({
  path: text,
  recursive: flag,
  includeEntry: flag,
  allowNetworkMounts: flag,
});

export const watcherRequest: z.ZodType<{ watcherId: string }> = z.object({ watcherId: text });
