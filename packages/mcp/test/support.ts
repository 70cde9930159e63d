import { readFileSync } from 'node:fs';
import { type McpDeclarationInput, parseMcpDeclarations } from '@agent-workspace/core';
import { DirectMCPClient, type DirectMCPClientOptions } from '@agent-workspace/mcp';
import { fixtureServer, type FixtureServerName } from '@agent-workspace/testing';
import { expect } from 'vitest';

type Settings = Omit<DirectMCPClientOptions, 'declaration'> & {
  readonly argument?: string;
  /** Merged into the declaration. */
  readonly declare?: Readonly<Record<string, unknown>>;
};

/** Clients of the running test, closed after it whatever became of it. */
const open: DirectMCPClient[] = [];

export async function closeClients(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
}

export function clientFor(input: object, options: Omit<DirectMCPClientOptions, 'declaration'> = {}): DirectMCPClient {
  const [declaration] = parseMcpDeclarations(input as McpDeclarationInput);
  if (!declaration) throw new Error('no declaration');
  const client = new DirectMCPClient({ declaration, ...options });
  open.push(client);
  return client;
}

/** A client of a fixture server that calls it by its own name. */
export function fixtureClient(name: FixtureServerName, settings: Settings = {}): DirectMCPClient {
  const { argument, declare, ...options } = settings;
  return clientFor({ name, ...fixtureServer(name, argument), ...declare }, options);
}

/** The one text of a result. */
export async function textOf(
  client: DirectMCPClient,
  tool: string,
  input: Record<string, unknown> = {},
): Promise<string> {
  const { content } = await client.callTool(tool, input);
  expect(content).toHaveLength(1);
  return String(content[0]?.['text']);
}

export function pidOf(client: DirectMCPClient): number {
  const { state } = client;
  if (state.kind !== 'connected' || state.pid === undefined) throw new Error(`no process: ${JSON.stringify(state)}`);
  return state.pid;
}

/** Whether a process runs; one that only waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** The rejection, for its `code` and `details`. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown> & Error> {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome?.status !== 'rejected') throw new Error('it did not fail');
  return outcome.reason as Record<string, unknown> & Error;
}
