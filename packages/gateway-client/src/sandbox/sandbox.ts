import type { WorkspaceError } from '@agent-workspace/core';
import type { Connector } from '../http/connector.ts';
import type { GatewayAnswer } from '../http/request.ts';

/** What `start()` found. */
export type SandboxStart =
  /** Nothing: it was made, and is removed again if the workspace does not come up. */
  | 'created'
  /** A stopped one, which was started. */
  | 'started'
  /** One that runs, perhaps with another host attached. */
  | 'found';

export interface SandboxRunOptions {
  /** Written to stdin, which is then closed. It may be a secret: never an argument, a variable or a log. */
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SandboxRunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that is run in a sandbox. */
export interface SandboxCommand {
  readonly argv: readonly string[];
  /** Written to its stdin. It may be a secret: never an argument, a variable or a log. */
  readonly stdin: string;
}

export interface SandboxStartedWith {
  readonly start: SandboxStart;
  /** What became of the command; `undefined` if it has not been run. */
  readonly ran: SandboxRunResult | undefined;
}

/** A file that the gateway needs, and that is not in the sandbox yet. */
export interface SandboxFile {
  /** In the sandbox. Its name holds what tells versions apart, so that one that is there is right. */
  readonly path: string;
  /** On this host. */
  readonly source: string;
  /** Permission bits. Default 0o644. */
  readonly mode?: number | undefined;
}

/** How the gateway is run inside. All paths are the sandbox's. */
export interface GatewayInstallation {
  /** Node 20 or later. */
  readonly node: string;
  /** The gateway's file. */
  readonly bundle: string;
  /** Where it listens: `['--socket', path]` or `['--port', '1234', '--host', '0.0.0.0']`. */
  readonly listen: readonly string[];
  /** Of the socket that new attachments come over; in a directory that this user may write. */
  readonly adminSocket: string;
  /** Has its process id while it runs. */
  readonly pidFile: string;
  /** What it writes to stdout and stderr. */
  readonly logFile: string;
  /** The `rg` to search with. */
  readonly ripgrep?: string | undefined;
  /** A directory of Node's compile cache that was filled for the bundle: it halves the time that Node takes to load it. */
  readonly compileCache?: string | undefined;
  /** Names that requests may give as their `Host`, beside `localhost`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Put before the first start. Default: none, where the image has all of it. */
  readonly files?: readonly SandboxFile[] | undefined;
}

/** What requests need on their way, where a proxy is on it. */
export interface GatewayRoute {
  /** What they give as their `Host`. Default `localhost`. */
  readonly host?: string | undefined;
  /** Headers that each of them carries. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What an answer with an error's status says that is the proxy's own; `undefined` if it is the gateway's. */
  readonly explain?: ((answer: GatewayAnswer, operation: string) => WorkspaceError | undefined) | undefined;
}

/**
 * What a new engine brings, and no more: everything else of a workspace comes from
 * `SandboxedWorkspaceBase` and the gateway. All methods may be called again after a failure.
 */
export interface Sandbox {
  /** `'docker'`, `'e2b'`, … */
  readonly kind: string;
  /** As the agent sees it. */
  readonly workdir: string;
  /** The data are kept when the sandbox stops. */
  readonly isPersistent: boolean;
  readonly gateway: GatewayInstallation;
  /**
   * Milliseconds after which `start()` itself gives up, and says why. Where it is called to have a sandbox back
   * that has stopped, it is let run somewhat longer than that, and is aborted then. Default 120,000.
   */
  readonly startTimeoutMs?: number | undefined;

  /** Finds the sandbox of this workspace, or makes it, and has it running when it settles. */
  start(options: { readonly signal: AbortSignal }): Promise<SandboxStart>;
  /**
   * `start()` with a command that is run in the sandbox next, as `run()` would. For an engine that can run
   * it as part of a start, which saves the time of a `run()`. What the command leaves behind lives on.
   */
  startWith?(command: SandboxCommand, options: { readonly signal: AbortSignal }): Promise<SandboxStartedWith>;
  /**
   * Whether the one that the last `start()` gave runs still. Asked where the gateway cannot be attached to, or was
   * gone; `start()` follows if it does not, and finds one that another host has made meanwhile. Default: it does.
   */
  isRunning?(): Promise<boolean>;
  /** Runs a program to its end, without a shell, as the agent's user. Programs that it leaves behind live on. */
  run(argv: readonly string[], options?: SandboxRunOptions): Promise<SandboxRunResult>;
  putFile(file: SandboxFile): Promise<void>;
  /** Connections that short requests may share, asked for once it has started. Default 32. */
  readonly connections?: number | undefined;
  /** Opens a connection to where the gateway listens. */
  readonly connect: Connector;
  /** Where a proxy is on the way, asked for once it has started. */
  readonly route?: GatewayRoute | undefined;
  /**
   * It has stopped by itself since nobody used it, and the next use wakes it. As long as it says so,
   * nothing is asked of the gateway that nobody waits for.
   */
  readonly isAsleep?: boolean | undefined;
  /** Ends all that runs. The data stay if `isPersistent`. Nothing there is no error. */
  stop(): Promise<void>;
  /** Removes the sandbox with its data. Nothing there is no error. */
  destroy(): Promise<void>;
}
