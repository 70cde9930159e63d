/** What a container may use. Numbers above 0; whole ones, but for `cpus`. */
export interface ContainerLimits {
  /** Memory and swap together. Default: no limit. */
  readonly memoryBytes?: number | undefined;
  /** Processors, also in parts. Default: no limit. */
  readonly cpus?: number | undefined;
  /** Processes and threads. Default 1,024. */
  readonly pids?: number | undefined;
}
