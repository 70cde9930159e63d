import { type Backend, collectToolResult, type Tool, type ToolChunk, type ToolResult } from '@agent-workspace/core';
import { expect } from 'vitest';

/** The built-in tools of one session on an empty workspace; disposing ends it and removes its place. */
export interface ToolsSubject extends AsyncDisposable {
  readonly backend: Backend;
  /** One of Bash, Read, Write, Edit, Glob and Grep. */
  tool(name: string): Tool;
}

/** How the tools' contract gets its tools. */
export interface ToolsContractOptions {
  open(): Promise<ToolsSubject>;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Calls a tool, which has to give its result in one piece. */
export async function call(subject: ToolsSubject, { tool, input, signal }: ToolCall): Promise<ToolResult> {
  const chunks: ToolChunk[] = [];
  for await (const chunk of subject.tool(tool).call(input, { signal })) chunks.push(chunk);
  expect(chunks.map(({ isLast }) => isLast)).toEqual([true]);
  return collectToolResult(
    (async function* () {
      yield* chunks;
    })(),
  );
}

/** The texts of a result, one after the other. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** The text of a call that has to succeed. */
export async function succeed(subject: ToolsSubject, tool: string, input: unknown): Promise<string> {
  const result = await call(subject, { tool, input });
  const text = textOf(result);
  expect({ state: result.state, text }).toEqual({ state: 'success', text });
  return text;
}

/** The text of a call that has to fail. */
export async function fail(subject: ToolsSubject, tool: string, input: unknown): Promise<string> {
  const result = await call(subject, { tool, input });
  const text = textOf(result);
  expect({ state: result.state, text }).toEqual({ state: 'error', text });
  return text;
}

/** The call for what comes next, where a result was cut; its text is in the result, too. */
export function nextCallOf(result: ToolResult): Readonly<Record<string, unknown>> {
  const { tool, input } = result.metadata['next_call'] as {
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
  };
  const parameters = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  expect(textOf(result)).toContain(`${tool}(${parameters.join(', ')})`);
  return input;
}

/** Runs a script of POSIX sh in the workspace's directory and gives its stdout. */
export async function sh(subject: ToolsSubject, script: string): Promise<string> {
  const { end, stdout, stderr } = await subject.backend.exec(['sh', '-c', script]);
  const problem = Buffer.from(stderr.head).toString('utf8');
  expect({ end, problem }).toEqual({ end: { kind: 'exited', exitCode: 0 }, problem });
  return Buffer.from(stdout.head).toString('utf8');
}

/** The bytes of a file, one character each. */
export async function bytesOf(subject: ToolsSubject, path: string): Promise<string> {
  const { bytes } = await subject.backend.readFile(path);
  return Buffer.from(bytes).toString('latin1');
}

/** Puts a file there behind the tools' back. */
export async function put(subject: ToolsSubject, path: string, content: string | readonly number[]): Promise<void> {
  await subject.backend.writeFile(path, typeof content === 'string' ? content : Uint8Array.from(content));
}

/** The absolute path of something in the workspace. */
export function at(subject: ToolsSubject, path: string): string {
  return `${subject.backend.workdir}/${path}`;
}
