/** A fenced block of TypeScript in a Markdown file. */
export interface CodeBlock {
  /** Line of its first line of code in the file, from 1. */
  readonly line: number;
  readonly code: string;
  /** Compiled only: its fence is `ts no-run`. */
  readonly isCompiledOnly: boolean;
  /** What it prints: a `text output` block right after it. `…` in a line stands for any text. */
  readonly expectedOutput: string | undefined;
}

interface Fence {
  readonly line: number;
  readonly info: string;
  readonly content: string;
  /** Only blank lines stand between it and the fence before it. */
  readonly followsFence: boolean;
}

const OPENING_FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;

function readFences(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  const lines = markdown.split(/\r?\n/);
  let followsFence = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, indent = '', marker = '', info = ''] = OPENING_FENCE.exec(line) ?? [];
    if (marker === '') {
      if (line.trim() !== '') followsFence = false;
      continue;
    }
    const start = index + 1;
    const closing = new RegExp(`^ {0,3}${marker[0]}{${marker.length},}\\s*$`);
    const length = lines.slice(start).findIndex((candidate) => closing.test(candidate));
    if (length === -1) throw new Error(`The code block that starts on line ${index + 1} has no end.`);
    const content = lines
      .slice(start, start + length)
      .map((text) => text.replace(new RegExp(`^ {0,${indent.length}}`), ''));
    fences.push({ line: start + 1, info: info.trim(), content: content.join('\n'), followsFence });
    followsFence = true;
    index = start + length;
  }
  return fences;
}

/**
 * The TypeScript in a Markdown file. `ts` is compiled and run, `ts no-run` compiled only; any other
 * word after `ts` is a typing error and not a third kind.
 */
export function extractCodeBlocks(markdown: string): readonly CodeBlock[] {
  const fences = readFences(markdown);
  return fences.flatMap((fence, index): CodeBlock[] => {
    const [language = '', ...words] = fence.info.split(/\s+/);
    if (language !== 'ts') return [];
    const flags = words.join(' ');
    if (flags !== '' && flags !== 'no-run') {
      throw new Error(`Line ${fence.line - 1}: a code block is "ts" or "ts no-run", not "${fence.info}".`);
    }
    const next = fences[index + 1];
    const expectedOutput = next?.info === 'text output' && next.followsFence ? next.content : undefined;
    return [{ line: fence.line, code: fence.content, isCompiledOnly: flags === 'no-run', expectedOutput }];
  });
}

/** What the `npm install` lines of a Markdown file's `sh` blocks install, in their order. */
export function extractInstalledPackages(markdown: string): readonly string[] {
  const names = readFences(markdown)
    .filter((fence) => fence.info === 'sh')
    .flatMap((fence) => fence.content.split('\n'))
    .flatMap((line) => /^\s*npm (?:install|i|add)\s+(.*)$/.exec(line)?.[1]?.split(/\s+/) ?? [])
    .filter((word) => word !== '' && !word.startsWith('-'));
  return [...new Set(names)];
}

/** Whether a program printed what its document says. */
export function matchesOutput(printed: string, expected: string): boolean {
  const escaped = expected.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('…', '.*')}$`).test(printed.trim());
}
