import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Backend,
  type BuiltinToolsOptions,
  collectToolResult,
  createBuiltinTools,
  KeyedMutex,
  Layout,
  type Tool,
  type ToolResult,
} from '@agent-workspace/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LocalBackend, type LocalBackendOptions } from '../src/local-backend.ts';

class LocalTools implements AsyncDisposable {
  readonly backend: LocalBackend;
  readonly #fileLocks = new KeyedMutex();
  readonly #tools: readonly Tool[];

  constructor(backend: LocalBackend) {
    this.backend = backend;
    this.#tools = this.session();
  }

  static async open(options: Omit<LocalBackendOptions, 'workdir'> = {}): Promise<LocalTools> {
    return new LocalTools(new LocalBackend({ ...options, workdir: await mkdtemp(join(tmpdir(), 'aw-tools-')) }));
  }

  /** The tools of one more session. */
  session(options: Partial<BuiltinToolsOptions> = {}): readonly Tool[] {
    const { backend } = this;
    const layout = new Layout(backend.workdir);
    return createBuiltinTools({ backend, layout, scope: {}, fileLocks: this.#fileLocks, ...options });
  }

  tool(name: string): Tool {
    return named(this.#tools, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.backend.close();
    await rm(this.backend.workdir, { recursive: true, force: true });
  }
}

function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

function call(tool: Tool, input: unknown): Promise<ToolResult> {
  return collectToolResult(tool.call(input));
}

const textOf = ({ content }: ToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('');

/** The backend with some of its methods exchanged. */
function changed(backend: Backend, changes: Partial<Backend>): Backend {
  return new Proxy(backend, {
    get(target, key) {
      const own: unknown = Reflect.get(changes, key);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describe('built-in tools on the local backend', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('has the six tools in order, each with its hints', async () => {
    await using subject = await LocalTools.open();
    const hints = subject
      .session()
      .map((tool) => [tool.name, tool.isReadOnly, tool.isConcurrencySafe, tool.isSelfPaging]);
    expect(hints).toEqual([
      ['Bash', false, false, false],
      ['Read', true, true, true],
      ['Write', false, false, true],
      ['Edit', false, false, true],
      ['Glob', true, true, true],
      ['Grep', true, true, true],
    ]);
  });

  it('has the parameters of AgentScope', async () => {
    await using subject = await LocalTools.open();
    const names = subject
      .session()
      .map(({ inputSchema }) => Object.keys(inputSchema['properties'] as object).join(' '));
    expect(names).toEqual([
      'command description timeout run_in_background',
      'file_path offset limit byte_offset byte_limit',
      'file_path content',
      'file_path old_string new_string replace_all',
      'pattern path head_limit offset',
      'pattern path output_mode glob type -A -B -C context n i case_insensitive multiline head_limit offset',
    ]);
  });

  it('runs sh where there is no bash [T62]', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'aw-bin-'));
    for (const name of ['sh', 'echo']) await symlink(`/bin/${name}`, join(bin, name));
    vi.stubEnv('PATH', bin);
    await using subject = await LocalTools.open();
    expect(textOf(await call(subject.tool('Bash'), { command: 'echo "$0"' }))).toBe('sh\n');
    vi.unstubAllEnvs();
    await using other = await LocalTools.open();
    expect(textOf(await call(other.tool('Bash'), { command: 'echo "$0"' }))).toBe('bash\n');
    await rm(bin, { recursive: true });
  });

  it('names the directory of the workspace when it is gone, not the shell [T46]', async () => {
    await using subject = await LocalTools.open();
    await rm(subject.backend.workdir, { recursive: true });
    const result = await call(subject.tool('Bash'), { command: 'echo hi' });
    expect(result.state).toBe('error');
    expect(textOf(result)).toContain(`its working directory ${subject.backend.workdir} does not exist`);
  });

  it('says that search is missing rather than that nothing matched [T38]', async () => {
    await using subject = await LocalTools.open({ ripgrepPath: '/nonexistent/rg' });
    await writeFile(join(subject.backend.workdir, 'a.txt'), 'hit\n');
    for (const tool of ['Glob', 'Grep']) {
      expect(await call(subject.tool(tool), { pattern: 'hit' })).toMatchObject({
        state: 'error',
        metadata: { error_code: 'search-unavailable' },
      });
    }
  });

  it('searches 500 files in one request to the backend [T44]', async () => {
    await using subject = await LocalTools.open();
    for (let index = 0; index < 500; index += 1) {
      await writeFile(join(subject.backend.workdir, `f${index}`), index % 2 === 0 ? 'x' : 'y');
    }
    let requests = 0;
    const counting = new Proxy(subject.backend, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          requests += 1;
          return Reflect.apply(value, target, parameters);
        };
      },
    });
    const result = await call(named(subject.session({ backend: counting }), 'Grep'), { pattern: 'x' });
    expect(result.metadata).toMatchObject({ count: 250, is_truncated: false });
    expect(requests).toBeLessThan(6);
  });

  it('marks a search that ran out of time as incomplete [T33]', async () => {
    await using subject = await LocalTools.open();
    await mkdir(join(subject.backend.workdir, 'd'));
    await subject.backend.exec(['sh', '-c', 'cd d && seq 1 20000 | xargs touch']);
    const hurried = changed(subject.backend, {
      glob: (globOptions) => subject.backend.glob({ ...globOptions, timeoutMs: 1 }),
    });
    const result = await call(named(subject.session({ backend: hurried }), 'Glob'), { pattern: '**/*' });
    expect(result.metadata).toMatchObject({ is_incomplete: true });
    expect(textOf(result)).toContain('The search is incomplete');
  });

  it('shows 100 of 200,000 files without growing [T31]', { timeout: 120_000 }, async () => {
    await using subject = await LocalTools.open();
    await subject.backend.exec([
      'sh',
      '-c',
      'for d in 1 2 3 4; do mkdir $d; (cd $d && seq 1 50000 | xargs touch); done',
    ]);
    const before = process.memoryUsage().rss;
    const result = await call(subject.tool('Glob'), { pattern: '**/*', head_limit: 100 });
    expect(result.metadata).toMatchObject({ count: 100, is_truncated: true, is_incomplete: false });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('loses no edit of two sessions that edit one file at once', async () => {
    await using subject = await LocalTools.open();
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const path = join(subject.backend.workdir, 'f');
    await writeFile(path, numbers.map((number) => `<${number}>\n`).join(''));
    const sessions = [subject.session(), subject.session()].map((tools) => named(tools, 'Edit'));
    const results = await Promise.all(
      numbers.map((number) => {
        const edit = sessions[number % 2] ?? subject.tool('Edit');
        return call(edit, { file_path: path, old_string: `<${number}>`, new_string: `done ${number}` });
      }),
    );
    expect(results.map(({ state }) => state)).toEqual(numbers.map(() => 'success'));
    const { bytes } = await subject.backend.readFile('f');
    expect(Buffer.from(bytes).toString()).toBe(numbers.map((number) => `done ${number}\n`).join(''));
  });

  it('makes an edit anew when another process wrote the file in between', async () => {
    await using subject = await LocalTools.open();
    const path = join(subject.backend.workdir, 'f');
    await writeFile(path, 'a\nb\n');
    let isFirst = true;
    const raced = changed(subject.backend, {
      async writeFile(target, content, writeOptions) {
        if (isFirst) await writeFile(path, 'a\nb\nfrom elsewhere\n');
        isFirst = false;
        return subject.backend.writeFile(target, content, writeOptions);
      },
    });
    const tools = subject.session({ backend: raced });
    const edit = { file_path: 'f', old_string: 'a', new_string: 'A' };
    expect((await call(named(tools, 'Edit'), edit)).state).toBe('success');
    expect(Buffer.from((await subject.backend.readFile('f')).bytes).toString()).toBe('A\nb\nfrom elsewhere\n');
    isFirst = true;
    await call(named(tools, 'Read'), { file_path: 'f' });
    const refused = await call(named(tools, 'Edit'), { file_path: 'f', old_string: 'b', new_string: 'B' });
    expect(refused).toMatchObject({ state: 'error', metadata: { error_code: 'file-changed' } });
  });

  it('tells of background commands, and puts their records where it is told to', async () => {
    await using subject = await LocalTools.open();
    const started: number[] = [];
    const recordDirectory = join(subject.backend.workdir, 'sessions/s/processes');
    const tools = subject.session({ recordDirectory, onBackground: ({ number }) => started.push(number) });
    const result = await call(named(tools, 'Bash'), { command: 'true', run_in_background: true });
    expect(started).toEqual([1]);
    expect(result.metadata['log_path']).toBe(join(recordDirectory, '1.log'));
  });

  it('shows the media that it is told to, up to a size', async () => {
    await using subject = await LocalTools.open();
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    await writeFile(join(subject.backend.workdir, 'a.png'), png);
    const read = (sessionOptions: Partial<BuiltinToolsOptions>): Promise<ToolResult> =>
      call(named(subject.session(sessionOptions), 'Read'), { file_path: 'a.png' });
    expect((await read({ mediaTypes: ['image/*'] })).content.at(-1)).toMatchObject({ type: 'data' });
    expect(textOf(await read({ mediaTypes: [] }))).toContain('is image/png (10 bytes), which cannot be shown');
    expect(textOf(await read({ maxMediaBytes: 9 }))).toContain('more than the 9 that can be shown');
  });

  it('works in a directory that is reached by a link', async () => {
    const place = await mkdtemp(join(tmpdir(), 'aw-link-'));
    await mkdir(join(place, 'real'));
    await symlink('real', join(place, 'link'));
    await using subject = new LocalTools(new LocalBackend({ workdir: join(place, 'link') }));
    expect((await call(subject.tool('Write'), { file_path: 'a.txt', content: 'a' })).state).toBe('success');
    expect(textOf(await call(subject.tool('Read'), { file_path: join(place, 'link/a.txt') }))).toBe('     1\ta');
    expect(textOf(await call(subject.tool('Write'), { file_path: '.mcp', content: 'a' }))).toContain('belongs to');
    await rm(place, { recursive: true });
  });
});
