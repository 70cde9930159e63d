import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extractCodeBlocks, extractInstalledPackages } from '../src/code-blocks.ts';
import { ConsumerProject } from '../src/consumer-project.ts';
import { findNodeBinary } from '../src/node-binary.ts';
import { packPackage } from '../src/pack-package.ts';
import { pnpmCommand, runCommand } from '../src/run-command.ts';
import {
  dependencyClosure,
  listPublishedPackages,
  REPOSITORY_ROOT,
  type WorkspacePackage,
} from '../src/workspace-packages.ts';

const SUPPORTED_NODE_MAJORS = [22, 24];

/** Third-party packages that belong to some of ours: they come with one of these or not at all. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@kubernetes/client-node': ['kubernetes'],
  '@modelcontextprotocol/sdk': ['mcp', 'testing', 'mcp-server'],
  '@vscode/ripgrep': ['local'],
  ai: ['ai-sdk'],
  dockerode: ['docker'],
  e2b: ['e2b'],
  hono: ['mcp', 'testing', 'mcp-server'],
  vitest: ['testing'],
};

const packages = await listPublishedPackages();
const names = packages.map((entry) => entry.name);
const isOurs = (name: string): boolean => name === 'agent-workspace' || name.startsWith('@agent-workspace/');

let tarballDirectory = '';
const tarballs = new Map<string, string>();
let nodes: readonly string[] = [];

beforeAll(async () => {
  await runCommand([...pnpmCommand(), 'exec', 'turbo', 'run', 'build', '--filter=./packages/*'], {
    cwd: REPOSITORY_ROOT,
  });
  tarballDirectory = await mkdtemp(join(tmpdir(), 'agent-workspace-tarballs-'));
  for (const entry of packages)
    tarballs.set(entry.name, (await packPackage(entry.directory, tarballDirectory)).tarball);
  nodes = await Promise.all(SUPPORTED_NODE_MAJORS.map((major) => findNodeBinary(major)));
});

afterAll(async () => {
  await rm(tarballDirectory, { recursive: true, force: true });
});

function readReadme(entry: WorkspacePackage): Promise<string> {
  return readFile(join(entry.directory, 'README.md'), 'utf8');
}

/** Tarballs of these packages and of those of ours that they depend on. */
function tarballsOf(wanted: readonly string[]): readonly string[] {
  return dependencyClosure(wanted, packages).map((name) => tarballs.get(name) ?? name);
}

/** The version that this repository is developed with, so that a document's example does not move under it. */
async function pinned(name: string, from: string): Promise<string> {
  const manifestPath = join(from, 'node_modules', name, 'package.json');
  const text = await readFile(manifestPath, 'utf8').catch((cause: unknown) => {
    throw new Error(`A document installs ${name}: make it a devDependency in ${from}, which fixes its version.`, {
      cause,
    });
  });
  const manifest = z.object({ version: z.string() }).parse(JSON.parse(text));
  return `${name}@${manifest.version}`;
}

/** What a document tells its reader to install, and the types that its examples compile with. */
async function specifiersFor(markdown: string, own: readonly string[], from: string): Promise<readonly string[]> {
  const named = extractInstalledPackages(markdown);
  const foreign = named.filter((name) => !isOurs(name));
  return [
    ...tarballsOf([...own, ...named.filter(isOurs)]),
    ...(await Promise.all(foreign.map((name) => pinned(name, from)))),
    await pinned('@types/node', REPOSITORY_ROOT),
  ];
}

describe('packed packages', () => {
  it.concurrent.each(packages)('$name brings nothing of another backend, and its README is true', async (entry) => {
    await using project = await ConsumerProject.create();
    const closure = dependencyClosure([entry.name], packages);
    await project.install(tarballsOf([entry.name]));
    const installed = await project.listInstalled();
    expect(installed.filter(isOurs)).toEqual(closure);
    const strangers = Object.entries(OWNERS)
      .filter(([, owners]) => !owners.some((owner) => closure.includes(`@agent-workspace/${owner}`)))
      .map(([name]) => name);
    expect(installed.filter((name) => strangers.includes(name))).toEqual([]);

    const markdown = await readReadme(entry);
    const blocks = extractCodeBlocks(markdown);
    expect(blocks.length, 'code blocks marked ts in its README').toBeGreaterThan(0);
    await project.install(await specifiersFor(markdown, [entry.name], entry.directory));
    expect(await project.tryCodeBlocks('README.md', blocks, nodes)).toEqual([]);
  });
});

describe('documents', () => {
  it('README.md and docs/*.md hold code that compiles and runs', async () => {
    await using project = await ConsumerProject.create();
    const docs = (await readdir(join(REPOSITORY_ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const documents = ['README.md', ...docs.map((name) => `docs/${name}`)];
    const texts = await Promise.all(documents.map((path) => readFile(join(REPOSITORY_ROOT, path), 'utf8')));
    // Their reader has followed the packages' READMEs.
    const specifiers = await Promise.all([
      specifiersFor(texts.join('\n'), names, REPOSITORY_ROOT),
      ...packages.map(async (entry) => specifiersFor(await readReadme(entry), [entry.name], entry.directory)),
    ]);
    await project.install([...new Set(specifiers.flat())]);
    for (const [index, text] of texts.entries()) {
      expect(await project.tryCodeBlocks(documents[index] ?? '', extractCodeBlocks(text), nodes)).toEqual([]);
    }
  });
});
