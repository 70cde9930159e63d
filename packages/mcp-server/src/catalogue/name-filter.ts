/** Decides by its served name whether a tool is served. */
export type NameFilter = (name: string) => boolean;

/**
 * Names and patterns, in which `*` stands for any characters: `Read`, `files__*`. Without any,
 * every name passes.
 */
export function nameFilter(patterns: readonly string[] | undefined): NameFilter {
  if (patterns === undefined) return () => true;
  const expressions = patterns.map((pattern) => {
    const literals = pattern.split('*').map((text) => text.replaceAll(/[\\^$.|?+()[\]{}]/gu, String.raw`\$&`));
    return new RegExp(`^${literals.join('.*')}$`, 'u');
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
