export type ContainerState = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';

/** A container as the engine describes it now. */
export interface EngineContainer {
  readonly id: string;
  readonly name: string;
  readonly state: ContainerState;
  /** The id of the image that it was made from. */
  readonly imageId: string;
  /** Whom it runs as, as it was asked for. */
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly mounts: readonly EngineMount[];
  /** Ports of the host by the container's, such as `8080/tcp`. */
  readonly ports: Readonly<Record<string, readonly PublishedPort[]>>;
  readonly exitCode: number;
  /** Why it could not be started, or nothing. */
  readonly error: string;
}

export interface EngineMount {
  readonly type: string;
  /** A directory of the engine's host, where the mount is a bind. */
  readonly source: string;
  /** Where it is in the container. */
  readonly destination: string;
  /** Of a volume. */
  readonly name?: string | undefined;
}

export interface PublishedPort {
  readonly address: string;
  readonly port: number;
}

export interface ContainerSummary {
  readonly id: string;
  /** The id of the image that it was made from. */
  readonly imageId: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Where mounts are in it. */
  readonly mountPoints: readonly string[];
  /** Directories of the engine's host that are mounted in it. */
  readonly mountSources: readonly string[];
}
