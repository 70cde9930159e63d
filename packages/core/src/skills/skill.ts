/** A skill as an agent finds it. */
export interface Skill {
  /** Unique among those of a listing; `name (1)` where the name was taken. */
  readonly name: string;
  readonly description: string;
  /** Absolute path of its folder, as the agent sees it. */
  readonly directory: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  /** The text of SKILL.md below the front matter. */
  readonly body: string;
  /** Everything in the front matter. */
  readonly frontMatter: Readonly<Record<string, unknown>>;
}

/** Where a skill comes from: a folder or an archive (zip, tar, tar.gz) on the host. */
export type SkillSource =
  | { readonly path: string }
  | { readonly archive: string | Uint8Array | ReadableStream<Uint8Array> };
