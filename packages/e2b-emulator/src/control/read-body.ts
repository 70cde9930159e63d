import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ApiError } from './api-error.ts';

/**
 * Reads the JSON of a request; none at all is an empty object.
 *
 * @throws {ApiError} 400
 */
export async function readBody<T extends z.ZodType>(request: IncomingMessage, schema: T): Promise<z.output<T>> {
  const parsed = schema.safeParse(parse(await text(request)));
  if (!parsed.success) throw new ApiError(400, `Invalid request body: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function parse(body: string): unknown {
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ApiError(400, `Invalid request body: ${(error as Error).message}`);
  }
}
