import { type FixtureFiles, TemporaryDirectory } from './temporary-directory.ts';

export interface FixtureSkillOptions {
  /** In the front matter, and the folder's. */
  readonly name: string;
  /** Default `Does {name}.` */
  readonly description?: string | undefined;
  /** Default a heading. */
  readonly body?: string | undefined;
  /** Beside SKILL.md. */
  readonly files?: FixtureFiles | undefined;
}

/** A skill's folder on the host, removed when it is disposed of. */
export interface FixtureSkill extends AsyncDisposable {
  readonly path: string;
}

/** The text of a SKILL.md. */
export function skillText({ name, description = `Does ${name}.`, body = `# ${name}\n` }: FixtureSkillOptions): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
}

export async function makeFixtureSkill(options: FixtureSkillOptions): Promise<FixtureSkill> {
  const { name, files = {} } = options;
  const own = Object.entries(files).map(([path, file]) => [`${name}/${path}`, file] as const);
  const directory = await TemporaryDirectory.create({
    [`${name}/SKILL.md`]: skillText(options),
    ...Object.fromEntries(own),
  });
  return { path: directory.at(name), [Symbol.asyncDispose]: async () => directory[Symbol.asyncDispose]() };
}
