import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type CodeBlock, matchesOutput } from './code-blocks.ts';
import { CommandFailedError, runCommand } from './run-command.ts';

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));

const installedSchema = z.object({ packages: z.record(z.string(), z.unknown()) });

// What `tsc --init` would give a newcomer on the oldest Node that we support, plus `await using`.
const CONSUMER_TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    rootDir: 'src',
    outDir: 'out',
  },
  include: ['src'],
};

async function problemOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailedError) return error.message;
    throw error;
  }
}

/** An empty folder in which someone uses our packages: npm, `tsc --strict` and node. */
export class ConsumerProject implements AsyncDisposable {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(): Promise<ConsumerProject> {
    const directory = await mkdtemp(join(tmpdir(), 'agent-workspace-consumer-'));
    await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n');
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(CONSUMER_TSCONFIG));
    return new ConsumerProject(directory);
  }

  /** Installs tarballs, and packages of the registry as `name@version`. */
  async install(specifiers: readonly string[]): Promise<void> {
    await runCommand(
      ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...specifiers],
      { cwd: this.directory },
    );
  }

  /** Names of every package in `node_modules`, at any depth; sorted. */
  async listInstalled(): Promise<readonly string[]> {
    const lockfile = await readFile(join(this.directory, 'node_modules', '.package-lock.json'), 'utf8');
    const paths = Object.keys(installedSchema.parse(JSON.parse(lockfile)).packages);
    return [...new Set(paths.map((path) => path.replace(/^.*node_modules\//, '')))].toSorted();
  }

  /**
   * Compiles every block as a module of its own, each at the line it has in its document, then runs
   * those that are to be run, each in an empty directory of its own.
   *
   * @returns what is wrong with them: nothing, in a document that is true
   */
  async tryCodeBlocks(
    document: string,
    blocks: readonly CodeBlock[],
    nodes: readonly string[],
  ): Promise<readonly string[]> {
    if (blocks.length === 0) return [];
    const sources = join(this.directory, 'src');
    const stem = document.replaceAll(/[^\w-]+/g, '-');
    const moduleName = (block: CodeBlock): string => `${stem}-line-${block.line}`;
    await rm(sources, { recursive: true, force: true });
    await mkdir(sources);
    for (const block of blocks) {
      const code = `${'\n'.repeat(block.line - 1)}${block.code}\nexport {};\n`;
      await writeFile(join(sources, `${moduleName(block)}.ts`), code);
    }
    const problems = [await problemOf(() => runCommand([process.execPath, TSC, '-p', '.'], { cwd: this.directory }))];
    for (const block of blocks.filter((candidate) => !candidate.isCompiledOnly)) {
      for (const node of nodes) {
        problems.push(await problemOf(() => this.#run(`${document}:${block.line}`, moduleName(block), block, node)));
      }
    }
    return problems.filter((problem) => problem !== undefined);
  }

  async #run(where: string, name: string, block: CodeBlock, node: string): Promise<void> {
    const cwd = await mkdtemp(join(this.directory, `${name}-`));
    const { stdout, stderr } = await runCommand([node, join(this.directory, 'out', `${name}.js`)], {
      cwd,
      // The example sees the node that it runs on, as it would in its user's shell.
      env: { PATH: [join(node, '..'), join(this.directory, 'node_modules', '.bin'), process.env['PATH']].join(':') },
    });
    if (block.expectedOutput !== undefined && !matchesOutput(stdout, block.expectedOutput)) {
      throw new CommandFailedError(
        `${where} prints\n${stdout}${stderr}\nand its document says\n${block.expectedOutput}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
