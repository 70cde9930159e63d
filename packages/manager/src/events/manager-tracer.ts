/** What is asked of a tracer. Each one of `@opentelemetry/api` is one, which need not be installed for this. */
export interface ManagerTracer {
  startSpan(
    name: string,
    options: { readonly startTime: number; readonly attributes: Record<string, string> },
  ): ManagerSpan;
}

/** Times are milliseconds since the epoch. */
export interface ManagerSpan {
  recordException(error: Error, time: number): void;
  setStatus(status: { code: 2; message: string }): unknown;
  end(time: number): void;
}
