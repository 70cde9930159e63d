import type { Tool, ToolSet } from 'ai';
import type { WorkspaceToolOutput } from './tool-output.ts';

/* The input of a workspace's own tools, as their JSON Schemas have it. */

export interface BashInput {
  readonly command: string;
  readonly description?: string | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly run_in_background?: boolean | undefined;
}

export interface ReadInput {
  readonly file_path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly byte_offset?: number | undefined;
  readonly byte_limit?: number | undefined;
}

export interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

export interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export interface GlobInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count' | undefined;
  readonly glob?: string | undefined;
  readonly type?: string | undefined;
  readonly '-A'?: number | undefined;
  readonly '-B'?: number | undefined;
  readonly '-C'?: number | undefined;
  readonly context?: number | undefined;
  readonly n?: boolean | undefined;
  readonly i?: boolean | undefined;
  readonly case_insensitive?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A workspace's own tools with their types, such as for `InferUITools<BuiltinTools>`. */
export type BuiltinTools = {
  readonly Bash: Tool<BashInput, WorkspaceToolOutput>;
  readonly Read: Tool<ReadInput, WorkspaceToolOutput>;
  readonly Write: Tool<WriteInput, WorkspaceToolOutput>;
  readonly Edit: Tool<EditInput, WorkspaceToolOutput>;
  readonly Glob: Tool<GlobInput, WorkspaceToolOutput>;
  readonly Grep: Tool<GrepInput, WorkspaceToolOutput>;
};

/** The workspace's own tools by type, as far as they are enabled, and all others as dynamic ones. */
export type WorkspaceToolSet = ToolSet & Partial<BuiltinTools>;

const BUILTIN_NAMES: ReadonlySet<string> = new Set<keyof BuiltinTools>([
  'Bash',
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
]);

/** Whether this is the name of one of the workspace's own tools. */
export function isBuiltinName(name: string): name is keyof BuiltinTools {
  return BUILTIN_NAMES.has(name);
}
