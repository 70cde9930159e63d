import { type Backend, createBuiltinTools, KeyedMutex, Layout } from '@agent-workspace/core';
import type { InferToolInput, InferUITools } from 'ai';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { memorySession } from '../test/support/memory-session.ts';
import { type BashInput, type BuiltinTools, isBuiltinName } from './builtin-tools.ts';
import type { WorkspaceToolOutput } from './tool-output.ts';
import { workspaceTools } from './workspace-tools.ts';

const parameters: { readonly [Name in keyof BuiltinTools]: Record<keyof InferToolInput<BuiltinTools[Name]>, true> } = {
  Bash: { command: true, description: true, timeout: true, run_in_background: true },
  Read: { file_path: true, offset: true, limit: true, byte_offset: true, byte_limit: true },
  Write: { file_path: true, content: true },
  Edit: { file_path: true, old_string: true, new_string: true, replace_all: true },
  Glob: { pattern: true, path: true, head_limit: true, offset: true },
  Grep: {
    pattern: true,
    path: true,
    output_mode: true,
    glob: true,
    type: true,
    '-A': true,
    '-B': true,
    '-C': true,
    context: true,
    n: true,
    i: true,
    case_insensitive: true,
    multiline: true,
    head_limit: true,
    offset: true,
  },
};

/** The workspace's own tools. Nothing of the backend is touched unless one is called. */
const builtins = createBuiltinTools({
  backend: {} as Backend,
  layout: new Layout('/w'),
  scope: {},
  fileLocks: new KeyedMutex(),
});

describe("the types of a workspace's own tools", () => {
  it.each(builtins.map((tool) => [tool.name, tool] as const))('have the parameters of %s', (name, { inputSchema }) => {
    const properties = Object.keys(inputSchema['properties'] as object);
    expect(isBuiltinName(name) ? Object.keys(parameters[name]).toSorted() : []).toEqual(properties.toSorted());
  });

  it('are there for UI messages', () => {
    expectTypeOf<InferUITools<BuiltinTools>['Bash']['input']>().toEqualTypeOf<BashInput>();
    expectTypeOf<InferUITools<BuiltinTools>['Bash']['output']>().toEqualTypeOf<WorkspaceToolOutput>();
  });

  it('go with tools that are not dynamic, and with their titles', async () => {
    const tools = await workspaceTools({ session: memorySession({ tools: builtins }) });
    expect(Object.values(tools).map(({ type, title }) => [type, title])).toEqual(
      builtins.map(({ annotations }) => [undefined, annotations?.title]),
    );
  });
});
