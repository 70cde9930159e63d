import type { Duplex } from 'node:stream';

/** How well a sandbox is kept apart from this machine, best first. */
export type Isolation = 'docker' | 'namespaces' | 'process';

/** Where a sandbox's processes and files live. One sandbox has one, and envd runs in it. */
export interface SandboxRoot {
  readonly kind: Isolation;
  /** What the template sets for every process. Default: nothing. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Opens a raw connection to a TCP port of the sandbox's localhost; envd's own is 49983.
   *
   * @throws {PortClosedError} if nothing listens there
   */
  connect(port: number): Promise<Duplex>;
  /** Closes or opens the way out to other machines, as far as this kind of root has one that can be closed. */
  setInternetAccess(isAllowed: boolean): Promise<void>;
  /** Freezes every process. After {@link resume} they go on with the same pids. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends all processes; the disk stays as it is. */
  stopProcesses(): Promise<void>;
  /** Starts envd on the disk as it is, at first and after {@link stopProcesses}. */
  boot(): Promise<void>;
  /** Ends all processes and removes the disk. */
  destroy(): Promise<void>;
}
