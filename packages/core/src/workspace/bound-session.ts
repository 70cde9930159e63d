import type { Backend } from '../backend/backend.ts';
import type { Scope } from '../scope.ts';
import { SessionBase } from './session-base.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** What a bound session needs of its workspace. */
export interface SessionOwner {
  workdir(): string;
  backend(): Backend;
  hold(): Disposable;
  use<T>(method: string, work: (parts: WorkspaceParts) => Promise<T>): Promise<T>;
}

/** A workspace's methods, bound to an agent and session. */
export class BoundSession extends SessionBase {
  override readonly scope: Scope;
  readonly #owner: SessionOwner;

  constructor(scope: Scope, owner: SessionOwner) {
    super();
    this.scope = scope;
    this.#owner = owner;
  }

  override get workdir(): string {
    return this.#owner.workdir();
  }

  override get backend(): Backend {
    return this.#owner.backend();
  }

  override hold(): Disposable {
    return this.#owner.hold();
  }

  protected override use<T>(method: string, work: (parts: WorkspaceParts) => Promise<T>): Promise<T> {
    return this.#owner.use(method, work);
  }
}
