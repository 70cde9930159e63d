import { randomUUID } from 'node:crypto';
import type { DataBlock, JsonSchema, TextBlock, Tool, ToolCallOptions, ToolChunk } from '@agent-workspace/core';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { textChunk } from './text-chunk.ts';

/**
 * A schema of any library that speaks Standard Schema and Standard JSON Schema, such as zod 4.2 or
 * later. It must be of an object.
 */
export type ToolInputSchema<Input> = StandardSchemaV1<unknown, Input> & StandardJSONSchemaV1<unknown, Input>;

export interface DefineToolOptions<Input> {
  /** As the model sees it: at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema<Input>;
  /** Changes nothing. Default `false`. */
  readonly isReadOnly?: boolean | undefined;
  /** May run beside other calls. Default: what `isReadOnly` says. */
  readonly isConcurrencySafe?: boolean | undefined;
  /** Keeps its results short itself, so that they are never offloaded. Default `false`. */
  readonly isSelfPaging?: boolean | undefined;
  /** Gets the checked input. A text or blocks are the result; an exception fails the call. */
  readonly execute: (input: Input, options: ToolCallOptions) => ToolOutput | Promise<ToolOutput>;
}

export type ToolOutput = string | readonly (TextBlock | DataBlock)[];

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
    annotations: { readOnlyHint: isReadOnly },
    isReadOnly,
    isConcurrencySafe: options.isConcurrencySafe ?? isReadOnly,
    isSelfPaging,
    async *call(input: unknown, callOptions: ToolCallOptions = {}): AsyncIterable<ToolChunk> {
      const checked = await standard.validate(input);
      if (checked.issues !== undefined) {
        yield textChunk(`The arguments of ${name} are invalid:\n${checked.issues.map(describe).join('\n')}`, 'error');
        return;
      }
      const output = await execute(checked.value, callOptions);
      yield typeof output === 'string'
        ? textChunk(output)
        : { content: withIds(output), state: 'success', isLast: true, metadata: {} };
    },
  };
}

function describe({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? `- ${message}` : `- ${keys.join('.')}: ${message}`;
}

/** Blocks with the same id are put together as one, so that a missing or repeated id loses none. */
function withIds(blocks: readonly (TextBlock | DataBlock)[]): readonly (TextBlock | DataBlock)[] {
  const seen = new Set<string>();
  return blocks.map((block) => {
    const isNew = block.id !== '' && !seen.has(block.id);
    const id = isNew ? block.id : randomUUID();
    seen.add(id);
    return { ...block, id };
  });
}
