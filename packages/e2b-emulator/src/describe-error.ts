/** What a log says of an error: where it comes from, and what it comes from. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
