import { createHash } from 'node:crypto';

/** What sandboxes are made from. */
export interface TemplateOptions {
  /** A Docker image, for Docker alone. It has bash, glibc and libstdc++. Default: Python 3.12 and Node 24 on Debian. */
  readonly image?: string | undefined;
  /** Other names for it. */
  readonly aliases?: readonly string[] | undefined;
  /** Only told, not enforced. Default: 2. */
  readonly cpuCount?: number | undefined;
  /** Only told, not enforced. Default: 512. */
  readonly memoryMB?: number | undefined;
  /** Only told, not enforced. Default: 10,240. */
  readonly diskSizeMB?: number | undefined;
}

export interface Template {
  readonly templateId: string;
  readonly name: string;
  readonly options: TemplateOptions;
}

/** Tags that every template has: there is one build of each. */
const TAGS: readonly string[] = ['default', 'latest'];

export type TemplateLookup =
  | { readonly kind: 'found'; readonly template: Template }
  | { readonly kind: 'unknown-template'; readonly name: string }
  | { readonly kind: 'unknown-tag'; readonly name: string; readonly tag: string };

/** The templates by id, name and alias. */
export class Templates {
  readonly all: readonly Template[];
  readonly #byName: ReadonlyMap<string, Template>;

  constructor(options: Readonly<Record<string, TemplateOptions>>) {
    this.all = Object.entries(options).map(([name, template]) => ({
      templateId: templateId(name),
      name,
      options: template,
    }));
    this.#byName = new Map(
      this.all.flatMap((template) =>
        [template.templateId, template.name, ...(template.options.aliases ?? [])].map((name) => [name, template]),
      ),
    );
  }

  /** Finds one by what the SDK sends: an id, a name or an alias, maybe with a namespace and a tag. */
  find(reference: string): TemplateLookup {
    const [path = '', tag] = reference.split(':');
    const name = path.slice(path.lastIndexOf('/') + 1);
    const template = this.#byName.get(name);
    if (template === undefined) return { kind: 'unknown-template', name: reference };
    if (tag !== undefined && !TAGS.includes(tag)) return { kind: 'unknown-tag', name, tag };
    return { kind: 'found', template };
  }
}

/** Looks like E2B's own, and is the same on every start. */
function templateId(name: string): string {
  const digest = createHash('sha256').update(name).digest();
  return [...digest.subarray(0, 20)].map((byte) => (byte % 36).toString(36)).join('');
}
