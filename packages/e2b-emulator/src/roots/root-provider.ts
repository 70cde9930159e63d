import type { TemplateOptions } from '../sandboxes/templates.ts';
import type { Isolation, SandboxRoot } from './sandbox-root.ts';

export interface RootRequest {
  readonly sandboxId: string;
  readonly template: TemplateOptions;
}

/** Makes the roots of one kind. */
export interface RootProvider {
  readonly kind: Isolation;
  /** Gets what sandboxes of this template start from, so that they start quickly. */
  prepare(template: TemplateOptions): Promise<void>;
  /** Makes a root in which nothing runs yet. */
  create(request: RootRequest): Promise<SandboxRoot>;
  /** Ends and removes what emulators that are no more have left. */
  removeLeftovers(): Promise<void>;
}

/** What all kinds of roots need to know. */
export interface RootContext {
  /** The emulator's own directory on this machine. */
  readonly directory: string;
  /** Names this emulator among others, see {@link ownName}. */
  readonly owner: string;
  /** A real envd in place of the built-in one. */
  readonly envdPath: string | undefined;
  readonly log: (message: string) => void;
}
