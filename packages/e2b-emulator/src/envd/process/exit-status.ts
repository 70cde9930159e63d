import { constants } from 'node:os';

/** How a process ended: with a code, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An `end` event. As in all of protobuf's JSON, what is zero or false is left out. */
export interface EndEvent {
  readonly exitCode?: number | undefined;
  readonly exited?: true | undefined;
  readonly status: string;
  readonly error?: string | undefined;
}

/** What Go, in which envd is written, calls signals. */
const SIGNAL_NAMES: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
  SIGXCPU: 'CPU time limit exceeded',
  SIGXFSZ: 'file size limit exceeded',
  SIGVTALRM: 'virtual timer expired',
  SIGPROF: 'profiling timer expired',
  SIGIO: 'I/O possible',
  SIGPWR: 'power failure',
  SIGSYS: 'bad system call',
};

/** The name of a signal by its number. */
export function signalName(number: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found === undefined ? null : (found[0] as NodeJS.Signals);
}

/** @see https://pkg.go.dev/os#ProcessState.String */
export function toEndEvent({ code, signal }: ProcessExit): EndEvent {
  if (signal !== null) {
    const status = `signal: ${SIGNAL_NAMES[signal] ?? `signal ${constants.signals[signal]}`}`;
    return { exitCode: -1, status, error: status };
  }
  const status = `exit status ${code ?? 0}`;
  if (code === null || code === 0) return { exited: true, status };
  return { exitCode: code, exited: true, status, error: status };
}
