import type { ToolResult } from '@agent-workspace/core';
import { byteLength } from '../content/byte-text.ts';

/** So that what is asked for next fits although lines differ in length. */
const MARGIN = 0.7;
const MAX_ATTEMPTS = 4;

interface Paging {
  readonly parameter: string;
  /** How many there are in a result, by its text. */
  readonly count: (text: string) => number;
}

const countLines = (text: string): number => text.split('\n').length;

function pagingOf(tool: string, input: Readonly<Record<string, unknown>>): Paging | undefined {
  if (tool === 'Grep' || tool === 'Glob') return { parameter: 'head_limit', count: countLines };
  if (tool !== 'Read') return undefined;
  const isByBytes = input['byte_offset'] !== undefined || input['byte_limit'] !== undefined;
  return isByBytes ? { parameter: 'byte_limit', count: byteLength } : { parameter: 'limit', count: countLines };
}

function textBytes({ content }: ToolResult): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? byteLength(block.text) : 0), 0);
}

/**
 * Runs a tool that pages its results by itself, and again for a smaller page where the text of one is
 * too long for a client: so that the result ends with the exact call for the next, which a cut by
 * somebody else could not say.
 */
export async function askForLess(
  tool: string,
  { input, maxBytes }: { readonly input: unknown; readonly maxBytes: number },
  run: (input: unknown) => Promise<ToolResult>,
): Promise<ToolResult> {
  let asked = input;
  let result = await run(asked);
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
    const bytes = textBytes(result);
    if (bytes <= maxBytes || typeof asked !== 'object' || asked === null) return result;
    const paging = pagingOf(tool, asked as Readonly<Record<string, unknown>>);
    if (paging === undefined) return result;
    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const limit = Math.max(1, Math.floor(paging.count(text) * (maxBytes / bytes) * MARGIN));
    asked = { ...asked, [paging.parameter]: limit };
    result = await run(asked);
  }
  return result;
}
