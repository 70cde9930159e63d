import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { docker, MANAGER_LABEL, WORKSPACE_LABEL } from './docker-engine.ts';

interface ContainerEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/** Sees each container of a manager come and go, as the engine tells it, whoever makes it. */
export class ContainerWatch implements Disposable {
  readonly #stream: Readable;
  readonly #living = new Map<string, Set<string>>();
  /** Workspaces that had two containers at a time. */
  readonly doubled: string[] = [];
  created = 0;
  most = 0;

  private constructor(stream: Readable) {
    this.#stream = stream;
    createInterface({ input: stream }).on('line', (line) => this.#take(JSON.parse(line) as ContainerEvent));
  }

  static async start(managerId: string): Promise<ContainerWatch> {
    const filters = { label: [`${MANAGER_LABEL}=${managerId}`], event: ['create', 'destroy'] };
    const stream: NodeJS.ReadableStream = await docker.getEvents({ filters });
    return new ContainerWatch(stream as Readable);
  }

  #take({ Action, Actor: { ID, Attributes } }: ContainerEvent): void {
    const workspaceId = Attributes[WORKSPACE_LABEL] ?? '';
    const containers = this.#living.get(workspaceId) ?? new Set();
    this.#living.set(workspaceId, containers);
    if (Action === 'destroy') {
      containers.delete(ID);
      return;
    }
    containers.add(ID);
    this.created += 1;
    this.most = Math.max(this.most, [...this.#living.values()].filter(({ size }) => size > 0).length);
    if (containers.size > 1) this.doubled.push(workspaceId);
  }

  [Symbol.dispose](): void {
    this.#stream.destroy();
  }
}
