import { GatewayAnswerInvalidError, GatewayRequestInvalidError, lazy } from '@agent-workspace/core';
import { z } from 'zod';

/** Checks what came over the wire. */
export interface WireSchema<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: Error };
}

/** One that is made at its first check: all of those of the routes take a gateway a tenth of its start. */
export function whenUsed<T>(make: () => WireSchema<T>): WireSchema<T> {
  const schema = lazy(make);
  return { safeParse: (value) => schema().safeParse(value) };
}

function reasonOf(error: Error): string {
  return error instanceof z.ZodError ? z.prettifyError(error) : error.message;
}

/** Checks what a host sent. @throws `gateway-request-invalid` */
export function parseRequest<T>(schema: WireSchema<T>, value: unknown, operation: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayRequestInvalidError({ operation, reason: reasonOf(parsed.error) }, { cause: parsed.error });
}

/** Checks what a gateway answered. @throws `gateway-answer-invalid` */
export function parseAnswer<T>(schema: WireSchema<T>, value: unknown, operation: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayAnswerInvalidError({ operation, reason: reasonOf(parsed.error) }, { cause: parsed.error });
}

/** As JSON has it: what is undefined is left out, and no limit is the largest one. */
export function toWire(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (part === Infinity ? Number.MAX_SAFE_INTEGER : part));
}
