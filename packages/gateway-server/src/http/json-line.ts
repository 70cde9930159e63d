/** A value as one line of newline-delimited JSON. */
export function jsonLine(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`, 'utf8');
}
