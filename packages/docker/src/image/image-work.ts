/** Of what takes its time: a pull, a build. */
export interface ImageWorkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told a line as it happens. */
  readonly onProgress?: ((line: string) => void) | undefined;
}
