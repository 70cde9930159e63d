import { once } from 'node:events';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyDirectory } from './support/empty-directory.ts';
import { EnvdProcess, type Frame, framesIn } from './support/envd-process.ts';
import { NODES } from './support/nodes.ts';

/** Reads a stream until there is what the test waits for. */
class WatchReader implements AsyncDisposable {
  readonly #frames: AsyncGenerator<Frame, void>;
  readonly #controller: AbortController;

  static async open(envd: EnvdProcess, request: object, headers: Record<string, string> = {}): Promise<WatchReader> {
    const controller = new AbortController();
    const options = { headers, signal: controller.signal };
    const { body } = await envd.open('filesystem.Filesystem/WatchDir', request, options);
    return new WatchReader(framesIn(body ?? new ReadableStream()), controller);
  }

  private constructor(frames: AsyncGenerator<Frame, void>, controller: AbortController) {
    this.#frames = frames;
    this.#controller = controller;
  }

  async next(): Promise<unknown> {
    const { value } = await this.#frames.next();
    return value?.message;
  }

  /** The next events, `name type`. */
  async events(count: number): Promise<string[]> {
    const events: string[] = [];
    while (events.length < count) {
      const message = (await this.next()) as { readonly filesystem?: { readonly name: string; readonly type: string } };
      if (message.filesystem === undefined) throw new Error(`Not an event: ${JSON.stringify(message)}`);
      events.push(`${message.filesystem.name} ${message.filesystem.type.slice('EVENT_TYPE_'.length).toLowerCase()}`);
    }
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
  }
}

describe.each(NODES)('WatchDir on $name', ({ node }) => {
  let envd: EnvdProcess;
  beforeAll(async () => {
    envd = await EnvdProcess.start({ node });
  });
  afterAll(() => envd[Symbol.asyncDispose]());
  beforeEach(() => emptyDirectory(envd.home));

  const inHome = (...names: string[]): string => join(envd.home, ...names);
  const upload = async (path: string, content: string): Promise<void> => {
    const form = new FormData();
    form.append('file', new Blob([content]), 'file');
    await fetch(`${envd.url}/files?path=${encodeURIComponent(path)}`, { method: 'POST', body: form });
  };

  it('tells of uploads and moves as envd does', async () => {
    await mkdir(inHome('dir'));
    await using watch = await WatchReader.open(envd, { path: 'dir' });
    expect(await watch.next()).toEqual({ start: {} });
    await upload('dir/new.txt', 'hello');
    expect(await watch.events(3)).toEqual(['new.txt create', 'new.txt chmod', 'new.txt write']);
    await upload('dir/empty', '');
    expect(await watch.events(2)).toEqual(['empty create', 'empty chmod']);
    await envd.unary('filesystem.Filesystem/Move', { source: 'dir/new.txt', destination: 'dir/old.txt' });
    expect(await watch.events(2)).toEqual(['new.txt rename', 'old.txt create']);
  });

  it('tells of what commands do, and of the directory itself', async () => {
    await mkdir(inHome('dir', 'sub'), { recursive: true });
    await using watch = await WatchReader.open(envd, { path: 'dir' });
    await watch.next();
    await writeFile(inHome('dir', 'f'), 'x');
    expect(await watch.events(2)).toEqual(['f create', 'f write']);
    await chmod(inHome('dir', 'f'), 0o600);
    expect(await watch.events(1)).toEqual(['f chmod']);
    // Not recursive: what happens below is not told.
    await writeFile(inHome('dir', 'sub', 'g'), 'x');
    await rename(inHome('dir', 'f'), inHome('f'));
    expect(await watch.events(1)).toEqual(['f rename']);
    await rm(inHome('dir'), { recursive: true });
    expect(await watch.events(2)).toEqual(['sub remove', '. remove']);
  });

  it('watches directories below when it is recursive, also those that are made, moved in and moved out', async () => {
    await mkdir(inHome('dir', 'there'), { recursive: true });
    await mkdir(inHome('outside', 'below'), { recursive: true });
    await using watch = await WatchReader.open(envd, { path: 'dir', recursive: true });
    await watch.next();
    await writeFile(inHome('dir', 'there', 'f'), '');
    expect(await watch.events(1)).toEqual(['there/f create']);
    await mkdir(inHome('dir', 'new'));
    expect(await watch.events(1)).toEqual(['new create']);
    await writeFile(inHome('dir', 'new', 'g'), '');
    expect(await watch.events(1)).toEqual(['new/g create']);
    await rename(inHome('outside'), inHome('dir', 'moved'));
    expect(await watch.events(1)).toEqual(['moved create']);
    await writeFile(inHome('dir', 'moved', 'below', 'h'), '');
    expect(await watch.events(1)).toEqual(['moved/below/h create']);
    await rename(inHome('dir', 'moved'), inHome('dir', 'renamed'));
    expect(await watch.events(2)).toEqual(['moved rename', 'renamed create']);
    await rm(inHome('dir', 'renamed', 'below', 'h'));
    expect(await watch.events(1)).toEqual(['renamed/below/h remove']);
    await rename(inHome('dir', 'renamed'), inHome('gone'));
    expect(await watch.events(1)).toEqual(['renamed rename']);
    await writeFile(inHome('gone', 'below', 'i'), '');
    await rm(inHome('dir', 'there'), { recursive: true });
    expect(await watch.events(2)).toEqual(['there/f remove', 'there remove']);
  });

  it('tells of the entry where it is asked to, and the entry is still there', async () => {
    await using watch = await WatchReader.open(envd, { path: '', includeEntry: true });
    await watch.next();
    await mkdir(inHome('sub'));
    expect(await watch.next()).toMatchObject({
      filesystem: {
        name: 'sub',
        type: 'EVENT_TYPE_CREATE',
        entry: { name: 'sub', path: inHome('sub'), type: 'FILE_TYPE_DIRECTORY' },
      },
    });
    await rm(inHome('sub'), { recursive: true });
    expect(await watch.next()).toEqual({ filesystem: { name: 'sub', type: 'EVENT_TYPE_REMOVE' } });
  });

  it('serves several watches of one directory, each until its client goes', async () => {
    await using first = await WatchReader.open(envd, { path: '' });
    await using second = await WatchReader.open(envd, { path: '', recursive: true });
    await first.next();
    await second.next();
    await writeFile(inHome('a'), '');
    expect([await first.events(1), await second.events(1)]).toEqual([['a create'], ['a create']]);
    await first[Symbol.asyncDispose]();
    await writeFile(inHome('b'), '');
    expect(await second.events(1)).toEqual(['b create']);
  });

  it.each([
    ['none', 'not_found', 'path HOME/none not found: stat HOME/none: no such file or directory'],
    ['file', 'invalid_argument', 'path HOME/file not a directory'],
  ])('refuses %s with %s in the last frame of a 200', async (path, code, message) => {
    await writeFile(inHome('file'), '');
    const { status, frames } = await envd.stream('filesystem.Filesystem/WatchDir', { path });
    expect(status).toBe(200);
    expect(frames).toEqual([
      { flags: 2, message: { error: { code, message: message.replaceAll('HOME', envd.home) } } },
    ]);
  });

  it('shows that it is alive after each silent interval, and ends with the timeout of the call', async () => {
    const headers = { 'keepalive-ping-interval': '1', 'connect-timeout-ms': '1500' };
    await using watch = await WatchReader.open(envd, { path: '' }, headers);
    expect(await watch.next()).toEqual({ start: {} });
    expect(await watch.next()).toEqual({ keepalive: {} });
    expect(await watch.next()).toEqual({ error: { code: 'deadline_exceeded', message: 'context deadline exceeded' } });
  });

  it('does not keep envd from ending', async () => {
    await using own = await EnvdProcess.start({ node });
    await using watch = await WatchReader.open(own, { path: '' });
    await watch.next();
    own.child.kill('SIGTERM');
    expect(await once(own.child, 'exit')).toEqual([0, null]);
  });
});
