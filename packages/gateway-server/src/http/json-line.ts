const ENCODER = new TextEncoder();

/** A value as one line of newline-delimited JSON. */
export function jsonLine(value: unknown): Uint8Array {
  return ENCODER.encode(`${JSON.stringify(value)}\n`);
}
