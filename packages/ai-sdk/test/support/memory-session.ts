import { createHash } from 'node:crypto';
import type { Backend, Message, Scope, Tool, ToolResultBlock, WorkspaceSession } from '@agent-workspace/core';

/** A session that keeps everything in memory, with the paths that a workspace at `/w` would have. */
export interface MemorySession extends WorkspaceSession {
  readonly context: Message[];
  readonly toolResults: Map<string, ToolResultBlock>;
  readonly data: Map<string, string>;
}

export function memorySession(options: { tools?: readonly Tool[]; scope?: Scope } = {}): MemorySession {
  const context: Message[] = [];
  const toolResults = new Map<string, ToolResultBlock>();
  const data = new Map<string, string>();
  return {
    context,
    toolResults,
    data,
    scope: options.scope ?? {},
    workdir: '/w',
    hold: () => ({ [Symbol.dispose]: () => undefined }),
    backend: { kind: 'memory', workdir: '/w' } as Backend,
    listTools: async () => await Promise.resolve(options.tools ?? []),
    listMcps: async () => await Promise.resolve([]),
    listSkills: async () => await Promise.resolve([]),
    getInstructions: async () => await Promise.resolve('<workspace>You work in /w.</workspace>'),
    addMcp: async () => await Promise.resolve(),
    removeMcp: async () => await Promise.resolve(),
    addSkill: async () => await Promise.reject(new Error('This session has no skills.')),
    removeSkill: async () => await Promise.resolve(),
    readContext: async () => await Promise.resolve(context),
    offloadContext: async (sessionId, messages) => {
      const known = new Set(context.map(({ id }) => id));
      context.push(...messages.filter(({ id }) => !known.has(id)));
      return await Promise.resolve(`/w/sessions/${sessionId}/context.jsonl`);
    },
    offloadToolResult: async (sessionId, result) => {
      const path = `/w/sessions/${sessionId}/tool_result-${result.id}.txt`;
      toolResults.set(path, result);
      return await Promise.resolve(path);
    },
    offloadDataBlock: async (block) => {
      if (block.source.type === 'url') return await Promise.resolve(block);
      const name = createHash('sha256').update(Buffer.from(block.source.data, 'base64')).digest('hex').slice(0, 8);
      data.set(name, block.source.data);
      const { media_type } = block.source;
      return await Promise.resolve({ ...block, source: { type: 'url', url: `workspace:///data/${name}`, media_type } });
    },
  };
}
