import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger, type StartedBackend } from '@agent-workspace/core';
import { attachmentSchemas, routePath, ROUTES } from '@agent-workspace/gateway-protocol';
import { describe, expect, it } from 'vitest';
import { GatewayKeeper, type SandboxRunOptions, type SandboxRunResult, type SandboxStart } from '../src/index.ts';
import { ProcessSandbox, ProcessWorkspace, type ProcessWorkspaceOptions } from './engine/process-workspace.ts';
import { bundle } from './gateway-files.ts';
import { echo, runs, useGateway } from './support/gateway-tests.ts';

const tests = useGateway();

/** The workspace of a sandbox that a test has made. */
class WorkspaceOf extends ProcessWorkspace {
  readonly #given: ProcessSandbox;

  constructor(sandbox: ProcessSandbox, options: Partial<ProcessWorkspaceOptions> = {}) {
    super({ directory: tests.directory, bundle, ...options });
    this.#given = sandbox;
  }

  protected override createSandbox(): ProcessSandbox {
    return this.#given;
  }
}

describe('a host that has made the sandbox, and fails to initialize', () => {
  /** What happens on another host between the start of the backend and the rest. */
  class LateWorkspace extends ProcessWorkspace {
    meanwhile: () => Promise<void> = () => Promise.resolve();

    protected override async startBackend(options: { readonly signal: AbortSignal }): Promise<StartedBackend> {
      const started = await super.startBackend(options);
      await this.meanwhile();
      return started;
    }
  }

  /** One in which something happens right after the gateway was launched. */
  class LaunchingSandbox extends ProcessSandbox {
    afterLaunch: () => Promise<void> = () => Promise.resolve();

    override async run(argv: readonly string[], options?: SandboxRunOptions): Promise<SandboxRunResult> {
      const result = await super.run(argv, options);
      if (argv[0] === 'sh') await this.afterLaunch();
      return result;
    }
  }

  async function keepsFor(other: ProcessWorkspace | undefined): Promise<void> {
    expect(other).toBeDefined();
    if (other === undefined) return;
    expect(await echo(other, 'still here')).toBe('still here');
    expect(await readFile(join(tests.directory, 'theirs.txt'), 'utf8')).toBe('theirs');
    const pid = await tests.gatewayPid();
    await other.close();
    await expect.poll(() => runs(pid)).toBe(false);
  }

  it('leaves it, with its data, to another that has attached while it was seeded', async () => {
    const abort = new AbortController();
    let other: ProcessWorkspace | undefined;
    const workspace = new LateWorkspace({ directory: tests.directory, bundle });
    workspace.meanwhile = async () => {
      other = await tests.open();
      await other.backend.writeFile('theirs.txt', 'theirs');
      abort.abort(new Error('enough'));
    };
    await expect(workspace.initialize({ signal: abort.signal })).rejects.toThrow('enough');
    await keepsFor(other);
  });

  it('leaves it to another that has attached before it had done so itself', async () => {
    const abort = new AbortController();
    let other: ProcessWorkspace | undefined;
    const sandbox = new LaunchingSandbox({ directory: tests.directory, bundle });
    sandbox.afterLaunch = async () => {
      if (other !== undefined) return;
      other = await tests.open();
      await other.backend.writeFile('theirs.txt', 'theirs');
      abort.abort(new Error('enough'));
    };
    await expect(new WorkspaceOf(sandbox).initialize({ signal: abort.signal })).rejects.toThrow('enough');
    await keepsFor(other);
  });

  it('removes it where nobody else is there', async () => {
    const abort = new AbortController();
    const workspace = new LateWorkspace({ directory: tests.directory, bundle });
    workspace.meanwhile = async () => abort.abort(new Error('enough'));
    await expect(workspace.initialize({ signal: abort.signal })).rejects.toThrow('enough');
    await expect(readFile(tests.directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a host whose attachment the gateway does not know any more', () => {
  it('learns of the others all the same when it leaves', async () => {
    const keeper = new GatewayKeeper({ sandbox: tests.sandbox(), logger: silentLogger });
    const { signal } = new AbortController();
    await keeper.startSandbox({ signal });
    await keeper.start({ signal });
    const other = await tests.open();
    // As if it had not been heard of for too long.
    await keeper.client.json({
      operation: 'an end',
      method: 'DELETE',
      path: routePath(ROUTES.attachment, { id: keeper.attachmentId }),
      schema: attachmentSchemas().detached,
      withoutRecovery: true,
    });
    await expect(keeper.client.health({ withoutRecovery: true })).rejects.toMatchObject({
      code: 'gateway-unauthorized',
    });
    expect(await keeper.close()).toBe(1);
    expect(await echo(other, 'still here')).toBe('still here');
  });
});

/** What several hosts share: a sandbox that goes by its name, and may be another one the next time. */
class SharedPlace {
  /** Counts the sandboxes that there were; none runs where it is `undefined`. */
  running: number | undefined;
  made = 0;
}

/** A host's view of it. Commands and connections go by the name, as in a cluster. */
class NamedSandbox extends ProcessSandbox {
  readonly #place: SharedPlace;
  #mine: number | undefined;

  constructor(place: SharedPlace) {
    super({ directory: tests.directory, bundle });
    this.#place = place;
  }

  override async start(): Promise<SandboxStart> {
    const how = await super.start();
    this.#place.running ??= this.#place.made += 1;
    this.#mine = this.#place.running;
    return how;
  }

  isRunning(): Promise<boolean> {
    return Promise.resolve(this.#mine === this.#place.running);
  }

  override run(argv: readonly string[], options?: SandboxRunOptions): Promise<SandboxRunResult> {
    if (this.#place.running === undefined) return Promise.reject(new Error('there is no such sandbox'));
    return super.run(argv, options);
  }

  /** Ends the one that it was started with, and no other. */
  override async stop(): Promise<void> {
    if (!(await this.isRunning())) return;
    await super.stop();
    this.#place.running = undefined;
  }
}

describe('a sandbox that one of two hosts has made anew', () => {
  it('is the other’s, too, so that the last one out stops it', async () => {
    const place = new SharedPlace();
    const one = await tests.initialize(new WorkspaceOf(new NamedSandbox(place)));
    const two = await tests.initialize(new WorkspaceOf(new NamedSandbox(place)));
    place.running = undefined;
    await tests.killGateway();
    expect(await echo(two, 'two')).toBe('two');
    expect(await echo(one, 'one')).toBe('one');
    expect(place).toMatchObject({ running: 2, made: 2 });
    await two.close();
    expect(place.running).toBe(2);
    await one.close();
    expect(place.running).toBeUndefined();
  });
});

describe('a sandbox whose last host leaves while another is on its way', () => {
  /** It has just been found when the host in it leaves. */
  class LeftSandbox extends NamedSandbox {
    starts = 0;
    readonly #leave: () => Promise<void>;

    constructor(place: SharedPlace, leave: () => Promise<void>) {
      super(place);
      this.#leave = leave;
    }

    override async start(): Promise<SandboxStart> {
      this.starts += 1;
      const how = await super.start();
      if (this.starts === 1) await this.#leave();
      return how;
    }
  }

  it('is started once more', async () => {
    const place = new SharedPlace();
    const one = await tests.initialize(new WorkspaceOf(new NamedSandbox(place)));
    await one.backend.writeFile('kept.txt', 'kept');
    const sandbox = new LeftSandbox(place, () => one.close());
    const two = await tests.initialize(new WorkspaceOf(sandbox));
    expect(Buffer.from((await two.backend.readFile('kept.txt')).bytes).toString()).toBe('kept');
    expect([sandbox.starts, place.made]).toEqual([2, 2]);
    await two.close();
    expect(place.running).toBeUndefined();
  });

  it('is stopped again if that host fails then', async () => {
    const place = new SharedPlace();
    const one = await tests.initialize(new WorkspaceOf(new NamedSandbox(place)));
    await one.backend.writeFile('kept.txt', 'kept');
    const abort = new AbortController();
    const sandbox = new LeftSandbox(place, () => one.close());
    const run = sandbox.run.bind(sandbox);
    sandbox.run = async (argv, options) => {
      const result = await run(argv, options);
      if (sandbox.starts === 2 && argv[0] === 'sh') abort.abort(new Error('enough'));
      return result;
    };
    await expect(new WorkspaceOf(sandbox).initialize({ signal: abort.signal })).rejects.toThrow('enough');
    expect([sandbox.starts, place.running]).toEqual([2, undefined]);
    expect(await readFile(join(tests.directory, 'kept.txt'), 'utf8')).toBe('kept');
  });
});
