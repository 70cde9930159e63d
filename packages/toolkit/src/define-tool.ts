import {
  type Backend,
  type JsonSchema,
  type Tool,
  type ToolAnnotations,
  type ToolCallOptions,
  type ToolChunk,
  ToolSessionMissingError,
  type WorkspaceSession,
} from '@agent-workspace/core';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { outputChunk, textChunk, type ToolOutput } from './tool-output.ts';

/**
 * A schema of any library that speaks Standard Schema and Standard JSON Schema, such as zod 4.2 or
 * later. It must be of an object.
 */
export type ToolInputSchema<Input> = StandardSchemaV1<unknown, Input> & StandardJSONSchemaV1<unknown, Input>;

/** What a toolkit hands to its tools with every call. */
export interface ToolkitCallOptions extends ToolCallOptions {
  readonly session?: WorkspaceSession | undefined;
}

/** The call that a function runs for, and where the agent works. */
export interface ToolContext {
  readonly toolCallId: string | undefined;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal | undefined;
  /** The toolkit's. @throws `tool-session-missing` on access, where the toolkit has none */
  readonly session: WorkspaceSession;
  /** The session's, so that the tool runs wherever the agent's disk is. @throws `tool-session-missing` on access */
  readonly backend: Backend;
}

export interface DefineToolOptions<Input> {
  /** As the model sees it: at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema<Input>;
  /** A title for people, and hints in MCP's terms. `readOnlyHint` is what `isReadOnly` says. */
  readonly annotations?: Omit<ToolAnnotations, 'readOnlyHint'> | undefined;
  /** Changes nothing. Default `false`. */
  readonly isReadOnly?: boolean | undefined;
  /** May run beside other calls. Default: what `isReadOnly` says. */
  readonly isConcurrencySafe?: boolean | undefined;
  /** Keeps its results short itself, so that they are never offloaded. Default `false`. */
  readonly isSelfPaging?: boolean | undefined;
  /** Gets the checked input. A text or blocks are the result; an exception fails the call. */
  readonly execute: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
}

/**
 * Makes a tool of a function. Input that the schema refuses never reaches it: the model is told
 * what is wrong instead.
 *
 * @throws what the schema's library throws, where it cannot express the schema as JSON Schema
 */
export function defineTool<Input>(options: DefineToolOptions<Input>): Tool {
  const { name, description, inputSchema, isReadOnly = false, isSelfPaging = false, execute } = options;
  const standard = inputSchema['~standard'];
  const jsonSchema: JsonSchema = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return {
    name,
    description,
    inputSchema: jsonSchema,
    annotations: { ...options.annotations, readOnlyHint: isReadOnly },
    isReadOnly,
    isConcurrencySafe: options.isConcurrencySafe ?? isReadOnly,
    isSelfPaging,
    checksInput: true,
    async *call(input: unknown, callOptions: ToolkitCallOptions = {}): AsyncIterable<ToolChunk> {
      const checked = await standard.validate(input);
      if (checked.issues !== undefined) {
        yield textChunk(`The arguments of ${name} are invalid:\n${checked.issues.map(describe).join('\n')}`, 'error');
        return;
      }
      yield outputChunk(await execute(checked.value, toolContext(name, callOptions)));
    },
  };
}

/** A tool that never asks for the session does without one. */
function toolContext(tool: string, { toolCallId, signal, session }: ToolkitCallOptions): ToolContext {
  const needSession = (): WorkspaceSession => {
    if (session === undefined) throw new ToolSessionMissingError({ tool });
    return session;
  };
  return {
    toolCallId,
    signal,
    get session() {
      return needSession();
    },
    get backend() {
      return needSession().backend;
    },
  };
}

function describe({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? `- ${message}` : `- ${keys.join('.')}: ${message}`;
}
