import { randomUUID } from 'node:crypto';
import { WorkspaceError } from '@agent-workspace/core';
import type { Sandbox } from '@agent-workspace/gateway-client';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { OWN_DIRECTORY } from '../../src/bootstrap/layout.ts';
import { runCommand } from '../../src/exec/run-command.ts';
import { KubernetesWorkspace, type KubernetesWorkspaceOptions } from '../../src/index.ts';
import { CONTAINER } from '../../src/pod/pod-spec.ts';
import { TestNamespace, type TestNamespaceOptions } from './test-namespace.ts';

/** A workspace that keeps the tokens that went into its Pod. */
export class WatchedWorkspace extends KubernetesWorkspace {
  readonly tokens: string[] = [];

  protected override createSandbox(): Sandbox {
    const sandbox = super.createSandbox();
    const run = sandbox.run.bind(sandbox);
    const startWith = sandbox.startWith?.bind(sandbox);
    sandbox.run = (argv, options) => {
      this.#keepToken(options?.stdin);
      return run(argv, options);
    };
    if (startWith !== undefined) {
      sandbox.startWith = (command, options) => {
        this.#keepToken(command.stdin);
        return startWith(command, options);
      };
    }
    return sandbox;
  }

  #keepToken(stdin = ''): void {
    const token = /"token":"([^"]+)"/.exec(stdin)?.[1];
    if (token !== undefined) this.tokens.push(token);
  }
}

/** A namespace, and workspaces that end with each test of a file. */
export class KubernetesTests {
  readonly managerId: string = `test-${randomUUID()}`;
  readonly opened: KubernetesWorkspace[] = [];
  readonly #options: TestNamespaceOptions;
  #namespace: TestNamespace | undefined;

  constructor(options: TestNamespaceOptions) {
    this.#options = options;
  }

  get namespace(): TestNamespace {
    if (this.#namespace === undefined) throw new Error('The namespace is there once the tests run.');
    return this.#namespace;
  }

  async start(): Promise<void> {
    this.#namespace = await TestNamespace.create(this.#options);
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled(this.opened.splice(0).map((workspace) => workspace.close()));
    await this.namespace.empty();
  }

  async end(): Promise<void> {
    await this.#namespace?.[Symbol.asyncDispose]();
  }

  /** One that is not open yet. */
  make(options: KubernetesWorkspaceOptions = {}): WatchedWorkspace {
    return new WatchedWorkspace({ ...this.namespace.options, managerId: this.managerId, ...options });
  }

  async open(options: KubernetesWorkspaceOptions = {}): Promise<WatchedWorkspace> {
    const workspace = this.make(options);
    this.opened.push(workspace);
    await workspace.initialize();
    return workspace;
  }

  /** Runs a shell script in the only Pod, not by its gateway. @returns its stdout */
  async inside(script: string, { stdin = '' }: { readonly stdin?: string } = {}): Promise<string> {
    const { name } = await this.namespace.pod();
    const pod = { connection: this.namespace.connection, name, container: CONTAINER };
    return (await runCommand(pod, ['sh', '-c', script], { stdin })).stdout;
  }

  async gatewayPid(): Promise<number> {
    return Number(await this.inside(`cat ${OWN_DIRECTORY}/gateway.pid`));
  }

  async killGateway(): Promise<void> {
    await this.inside(`kill -KILL $(cat ${OWN_DIRECTORY}/gateway.pid)`);
  }
}

/** For the tests of the surrounding `describe`. */
export function useKubernetes(options: TestNamespaceOptions = {}): KubernetesTests {
  const tests = new KubernetesTests(options);
  beforeAll(() => tests.start());
  afterEach(() => tests.closeAll());
  afterAll(() => tests.end());
  return tests;
}

/** What a shell script prints that is run by the workspace. */
export async function shell(workspace: KubernetesWorkspace, script: string): Promise<string> {
  const { stdout } = await workspace.backend.exec(['sh', '-c', script]);
  return Buffer.concat([stdout.head, stdout.tail]).toString('utf8');
}

/** How a call ended, and with which words. */
export async function outcomeOf(call: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  return call.then(
    () => ({ code: 'no error', message: '' }),
    (error: unknown) => ({
      code: WorkspaceError.isInstance(error) ? error.code : String(error),
      message: error instanceof Error ? error.message : String(error),
    }),
  );
}

/** A command that runs until it is killed, once it has begun. */
export async function beginCommand(
  workspace: KubernetesWorkspace,
): Promise<{ readonly ended: ReturnType<typeof outcomeOf> }> {
  const begun = Promise.withResolvers<void>();
  const running = workspace.backend.exec(['sh', '-c', 'echo x >>runs; echo begun; sleep 300'], {
    onOutput: () => begun.resolve(),
  });
  const ended = outcomeOf(running);
  await Promise.race([begun.promise, ended]);
  return { ended };
}
