import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend, Diagnostic, Layout, Skill, SkillSource, TreeEntry } from '@agent-workspace/core';
import { expect } from 'vitest';
import { skillText } from '../skills/fixture-skill.ts';

export interface SkillsSubjectOptions {
  /** Seeds of a brand-new workspace. */
  readonly skillPaths?: readonly string[] | undefined;
}

/** The skills of one workspace; disposing closes it. */
export interface SkillsSubject extends AsyncDisposable {
  readonly backend: Backend;
  readonly layout: Layout;
  list(agentId?: string): Promise<readonly Skill[]>;
  add(source: SkillSource, agentId?: string): Promise<Skill>;
  remove(name: string, agentId?: string): Promise<void>;
  purgeAgent(agentId: string): Promise<void>;
  diagnostics(): readonly Diagnostic[];
  /** A second workspace object on the same disk, beside this one. */
  reopen(options?: SkillsSubjectOptions): Promise<SkillsSubject>;
}

/** How the skills' contract gets its workspaces. */
export interface SkillsContractOptions {
  /** On an empty place, which goes when what is opened here is disposed of. */
  readonly open: (options?: SkillsSubjectOptions) => Promise<SkillsSubject>;
}

/** Writes a SKILL.md by hand, as an agent would with its tools. @param folder relative to `skills/` */
export async function writeSkill(subject: SkillsSubject, folder: string, text?: string | Uint8Array): Promise<void> {
  const name = folder.split('/').at(-1) ?? folder;
  await subject.backend.writeFile(inSkills(subject, `${folder}/SKILL.md`), text ?? skillText({ name }));
}

export function inSkills({ layout }: SkillsSubject, path: string): string {
  return `${layout.skillsDirectory}/${path}`;
}

export async function namesOf(subject: SkillsSubject, agentId?: string): Promise<readonly string[]> {
  return (await subject.list(agentId)).map(({ name }) => name);
}

/** What is in a directory below `skills/`, sorted. */
export async function foldersIn(subject: SkillsSubject, path = ''): Promise<readonly string[]> {
  const entries = await subject.backend.readDirectory(inSkills(subject, path));
  return entries.map(({ name }) => name).toSorted();
}

/** A JSON file below `skills/`. */
export async function readIndex(subject: SkillsSubject, path: string): Promise<unknown> {
  return JSON.parse(await readText(subject, inSkills(subject, path)));
}

export async function readText({ backend }: SkillsSubject, path: string): Promise<string> {
  return Buffer.from((await backend.readFile(path)).bytes).toString('utf8');
}

/** The reasons given for a path. */
export function reasonsFor(subject: SkillsSubject, path: string): readonly string[] {
  return subject.diagnostics().flatMap((diagnostic) => (diagnostic.path === path ? [diagnostic.reason] : []));
}

/** Runs a script of POSIX sh in the workspace's directory. */
export async function sh({ backend }: SkillsSubject, script: string): Promise<string> {
  const { end, stdout, stderr } = await backend.exec(['sh', '-c', script]);
  const problem = Buffer.from(stderr.head).toString('utf8');
  expect({ end, problem }).toEqual({ end: { kind: 'exited', exitCode: 0 }, problem });
  return Buffer.from(stdout.head).toString('utf8');
}

/** The files of a directory on the host. */
export async function readHostTree(directory: string): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const path of await readdir(directory, { recursive: true })) {
    const absolute = join(directory, path);
    if ((await lstat(absolute)).isFile()) entries.push({ kind: 'file', path, bytes: await readFile(absolute) });
  }
  return entries;
}
