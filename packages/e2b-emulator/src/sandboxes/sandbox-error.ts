/** Why something cannot be done to a sandbox in the state that it is in. */
export type SandboxProblem = 'gone' | 'paused' | 'running' | 'busy' | 'unpausable';

/** A sandbox's state does not allow what was asked of it. */
export class SandboxStateError extends Error {
  override readonly name = 'SandboxStateError';
  readonly problem: SandboxProblem;
  readonly sandboxId: string;

  constructor(sandboxId: string, problem: SandboxProblem, options?: ErrorOptions) {
    super(`Sandbox ${sandboxId} ${WORDS[problem]}.`, options);
    this.problem = problem;
    this.sandboxId = sandboxId;
  }
}

const WORDS: Readonly<Record<SandboxProblem, string>> = {
  gone: 'is gone or being killed',
  paused: 'is already paused',
  running: 'is already running',
  busy: 'is being paused or resumed',
  unpausable: 'could not be paused, and runs on',
};
