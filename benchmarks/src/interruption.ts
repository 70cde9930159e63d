const controller = new AbortController();

/**
 * Aborted by the first Ctrl-C. Whoever measures looks at it between calls, so that a run unwinds and
 * takes down what it has set up, as it does at its end. A second Ctrl-C ends the process at once.
 */
export const interruption: AbortSignal = controller.signal;

export function watchForInterruption(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Error(`Interrupted by ${name}.`)));
  }
}
