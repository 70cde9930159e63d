import { z } from 'zod';
import { ConnectError } from './connect-error.ts';

/** A protobuf message in JSON as a schema has it. A field that is `null` is one that is not there. */
const dropNulls = (_key: string, value: unknown): unknown => (value === null ? undefined : value);

/** @throws ConnectError `invalid_argument`, with the first field that is not as it should be. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, request: unknown): z.output<Schema> {
  const parsed = schema.safeParse(JSON.parse(JSON.stringify(request ?? {}), dropNulls));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.');
  const where = field === undefined || field === '' ? '' : ` for field ${field}`;
  throw new ConnectError('invalid_argument', `unmarshal message: invalid value${where}: ${issue?.message ?? ''}`);
}

/** `uint32`, which may come as a number or as a string. */
export const uint32: z.ZodType<number, number | string> = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.number().int().min(0).max(0xffff_ffff));

/** `bytes`: base64 in either alphabet, padded or not. */
export const bytes: z.ZodType<Buffer, string> = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'invalid base64')
  .transform((text) => Buffer.from(text, 'base64'));
