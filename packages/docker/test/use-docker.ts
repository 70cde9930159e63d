import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectToolResult, WorkspaceError, type WorkspaceSession } from '@agent-workspace/core';
import type { Sandbox } from '@agent-workspace/gateway-client';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { runCommand } from '../src/container/run-command.ts';
import { LABELS } from '../src/container/labels.ts';
import { DockerEngine } from '../src/engine/docker-engine.ts';
import type { ContainerSummary } from '../src/engine/engine-container.ts';
import { IMAGE_LAYOUT } from '../src/image/layout.ts';
import { DockerWorkspace, type DockerWorkspaceOptions } from '../src/index.ts';
import { removeContainers } from './remove-containers.ts';

/** What is run inside as someone else, past the gateway. */
export interface InsideOptions {
  /** Default: the container's. */
  readonly user?: string | undefined;
  readonly stdin?: string | undefined;
}

/** A workspace that keeps the tokens that went into its container. */
export class WatchedWorkspace extends DockerWorkspace {
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
      sandbox.startWith = async (command, options) => {
        const started = await startWith(command, options);
        // What has not been run told nobody.
        if (started.ran !== undefined) this.#keepToken(command.stdin);
        return started;
      };
    }
    return sandbox;
  }

  #keepToken(stdin = ''): void {
    const token = /"token":"([^"]+)"/.exec(stdin)?.[1];
    if (token !== undefined) this.tokens.push(token);
  }
}

/** An engine, a directory of this host, and workspaces that end with each test of a file. */
export class DockerTests {
  readonly managerId: string = `test-${randomUUID()}`;
  readonly opened: DockerWorkspace[] = [];
  #engine: DockerEngine | undefined;
  #directory = '';

  get engine(): DockerEngine {
    if (this.#engine === undefined) throw new Error('The engine is there once the tests run.');
    return this.#engine;
  }

  /** For what the workspaces of this file have on the host. */
  get directory(): string {
    return this.#directory;
  }

  /** The engine's own client, for what this package has no use for. */
  get docker(): Docker {
    const { address } = this.engine;
    return address.startsWith('unix://') ? new Docker({ socketPath: address.slice('unix://'.length) }) : new Docker();
  }

  async start(): Promise<void> {
    this.#engine = await DockerEngine.connect();
    this.#directory = await mkdtemp(join(tmpdir(), 'aw-docker-'));
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled(this.opened.splice(0).map((workspace) => workspace.close()));
    await removeContainers(this.engine, this.managerId);
  }

  async end(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Opens a workspace; its directory is a name in that of this file. */
  async open({ workdir, ...options }: DockerWorkspaceOptions = {}): Promise<WatchedWorkspace> {
    const { managerId } = this;
    const at = workdir === undefined ? {} : { workdir: join(this.directory, workdir) };
    const workspace = new WatchedWorkspace({ managerId, ...options, ...at });
    this.opened.push(workspace);
    await workspace.initialize();
    return workspace;
  }

  containers(): Promise<readonly ContainerSummary[]> {
    return this.engine.containers.list({ [LABELS.manager]: this.managerId });
  }

  /** Of the only workspace there is. */
  async containerId(): Promise<string> {
    const [container, ...others] = await this.containers();
    if (container === undefined || others.length > 0) throw new Error('There is not one container.');
    return container.id;
  }

  /** Runs a shell script in a container, not by its gateway. @returns its stdout */
  async inside(id: string, script: string, { user, stdin = '' }: InsideOptions = {}): Promise<string> {
    if (user === undefined) return (await runCommand(this.engine, id, ['sh', '-c', script], { stdin })).stdout;
    const stream = await this.engine.containers.exec(id, ['sh', '-c', script], { user });
    stream.end(stdin);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  }

  async gatewayPid(id: string): Promise<number> {
    return Number(await this.inside(id, `cat ${IMAGE_LAYOUT.adminDirectory}/gateway.pid`));
  }

  async killGateway(id: string): Promise<void> {
    await this.inside(id, `kill -KILL $(cat ${IMAGE_LAYOUT.adminDirectory}/gateway.pid)`);
  }
}

/** For the tests of the surrounding `describe`. */
export function useDocker(): DockerTests {
  const tests = new DockerTests();
  beforeAll(() => tests.start());
  afterEach(() => tests.closeAll());
  afterAll(() => tests.end());
  return tests;
}

/** What a shell script prints that is run by the workspace. */
export async function shell(workspace: DockerWorkspace, script: string): Promise<string> {
  const { stdout } = await workspace.backend.exec(['sh', '-c', script]);
  return Buffer.concat([stdout.head, stdout.tail]).toString('utf8');
}

export async function readText(workspace: DockerWorkspace, path: string): Promise<string> {
  return Buffer.from((await workspace.backend.readFile(path)).bytes).toString('utf8');
}

/** How a call ended, and after how many milliseconds. */
export async function outcomeOf(call: Promise<unknown>): Promise<{ readonly code: string; readonly tookMs: number }> {
  const begin = performance.now();
  const code = await call.then(
    () => 'no error',
    (error: unknown) => (WorkspaceError.isInstance(error) ? error.code : String(error)),
  );
  return { code, tookMs: performance.now() - begin };
}

/** The text of a call of one of the workspace's own tools, which has to succeed. */
export async function callOwnTool(session: WorkspaceSession, name: string, input: unknown): Promise<string> {
  const tool = (await session.listTools()).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const { state, content } = await collectToolResult(tool.call(input));
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  if (state !== 'success') throw new Error(`${name} failed: ${text}`);
  return text;
}
