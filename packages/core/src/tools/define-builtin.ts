import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OutputChunk } from '../backend/process.ts';
import { OperationAbortedError } from '../errors/operation-aborted-error.ts';
import { WorkspaceError } from '../errors/workspace-error.ts';
import type { WorkspaceEventListener } from '../events/workspace-event.ts';
import type { DataBlock, TextBlock, ToolResultState } from '../messages/blocks.ts';
import type { Scope } from '../scope.ts';
import { lenientInput } from './lenient-input.ts';
import type { JsonSchema, Tool, ToolAnnotations, ToolCallOptions, ToolChunk } from './tool.ts';

/** What a built-in tool gives back. */
export interface BuiltinOutcome {
  readonly content: readonly (TextBlock | DataBlock)[];
  readonly state: ToolResultState;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What a built-in tool knows of the call that it runs for. */
export interface BuiltinCall {
  readonly signal: AbortSignal | undefined;
  readonly onOutput: (chunk: OutputChunk) => void;
}

export interface BuiltinDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  /** Other names that models use for a parameter. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly annotations: ToolAnnotations;
  readonly isReadOnly: boolean;
  readonly isConcurrencySafe: boolean;
  readonly isSelfPaging: boolean;
  readonly run: (input: z.output<Schema>, call: BuiltinCall) => Promise<BuiltinOutcome>;
}

/** Where a tool tells what it does. */
export interface BuiltinSurroundings {
  readonly scope: Scope;
  readonly emit: WorkspaceEventListener;
  readonly hold: () => Disposable;
}

/** A text block with an id of its own, in AgentScope's form. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', id: randomUUID().replaceAll('-', ''), text };
}

/** A result that is one text. */
export function success(text: string, metadata: Readonly<Record<string, unknown>> = {}): BuiltinOutcome {
  return { content: [textBlock(text)], state: 'success', metadata };
}

/** A result that tells the model what went wrong and what to do about it. */
export function failure(text: string, metadata: Readonly<Record<string, unknown>> = {}): BuiltinOutcome {
  return { content: [textBlock(text)], state: 'error', metadata };
}

/** Makes a tool out of its parameters and what it does: input, errors, events and holds are the same for all. */
export function defineBuiltin<Schema extends z.ZodObject>(
  definition: BuiltinDefinition<Schema>,
  surroundings: BuiltinSurroundings,
): Tool {
  const { name, description, annotations, isReadOnly, isConcurrencySafe, isSelfPaging } = definition;
  const inputSchema = inputSchemaOf(definition.parameters);
  return {
    name,
    description,
    inputSchema,
    annotations,
    isReadOnly,
    isConcurrencySafe,
    isSelfPaging,
    checksInput: true,
    call: (input, options) => callBuiltin(definition, surroundings, { inputSchema, input, options: options ?? {} }),
  };
}

/** The tools of every session have the same ones. */
const inputSchemas = new WeakMap<z.ZodObject, JsonSchema>();

/** The schema as a model gets it, without what says nothing to it. */
function inputSchemaOf(parameters: z.ZodObject): JsonSchema {
  const existing = inputSchemas.get(parameters);
  if (existing !== undefined) return existing;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  inputSchemas.set(parameters, schema);
  return schema;
}

interface BuiltinRequest {
  readonly inputSchema: JsonSchema;
  readonly input: unknown;
  readonly options: ToolCallOptions;
}

async function* callBuiltin<Schema extends z.ZodObject>(
  definition: BuiltinDefinition<Schema>,
  { scope, emit, hold }: BuiltinSurroundings,
  request: BuiltinRequest,
): AsyncGenerator<ToolChunk, void, undefined> {
  const held = hold();
  const about = { scope, tool: definition.name, toolCallId: request.options.toolCallId };
  const startedAt = performance.now();
  let state: ToolResultState = 'error';
  let outcome: BuiltinOutcome;
  try {
    emit({ type: 'tool-started', ...about });
    outcome = await runBuiltin(definition, request, (chunk) => emit({ type: 'tool-output', ...about, ...chunk }));
    state = outcome.state;
  } finally {
    held[Symbol.dispose]();
    emit({ type: 'tool-ended', ...about, state, durationMs: performance.now() - startedAt });
  }
  yield { ...outcome, isLast: true };
}

async function runBuiltin<Schema extends z.ZodObject>(
  definition: BuiltinDefinition<Schema>,
  { inputSchema, input, options }: BuiltinRequest,
  onOutput: (chunk: OutputChunk) => void,
): Promise<BuiltinOutcome> {
  const { signal } = options;
  if (signal?.aborted === true) return interrupted(definition.name);
  const lenient = lenientInput(input, { schema: inputSchema, aliases: definition.aliases });
  const parsed = definition.parameters.safeParse(lenient, {
    error: ({ code, input: value }) => (code === 'invalid_type' && value === undefined ? 'it is required' : undefined),
  });
  if (!parsed.success) return inputProblems(definition, parsed.error);
  try {
    return await definition.run(parsed.data, { signal, onOutput });
  } catch (error) {
    if (isAbort(error, signal)) return interrupted(definition.name);
    if (WorkspaceError.isInstance(error)) return failure(error.message, { error_code: error.code });
    throw error;
  }
}

function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true) return false;
  const isAbortError = error instanceof Error && error.name === 'AbortError';
  return error === signal.reason || isAbortError || OperationAbortedError.isInstance(error);
}

function interrupted(tool: string): BuiltinOutcome {
  return { ...failure(`${tool} was interrupted by its caller before it ended.`), state: 'interrupted' };
}

function inputProblems<Schema extends z.ZodObject>(
  { name, parameters }: BuiltinDefinition<Schema>,
  error: z.ZodError,
): BuiltinOutcome {
  const problems = error.issues.map(
    ({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  const known = Object.keys(parameters.shape).join(', ');
  const text = `${name} did not run, since its input is not valid:\n${problems.join('\n')}\nIts parameters are: ${known}.`;
  return failure(text, { error_code: 'input-invalid' });
}
