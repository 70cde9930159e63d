import type { JsonSchema, Tool } from '@agent-workspace/core';
import type { InputSchema } from './input-schema.ts';

export interface InputCheckerOptions {
  /** Called for a schema that cannot be worked with. The tool gets its input unchecked then. */
  readonly onUnusableSchema: (tool: Tool, error: unknown) => void;
}

/** Checks the input of tools that do not check it themselves, such as those of MCP servers. */
export class InputChecker {
  readonly #options: InputCheckerOptions;
  readonly #schemas = new WeakMap<JsonSchema, Promise<InputSchema>>();

  constructor(options: InputCheckerOptions) {
    this.#options = options;
  }

  /** What is wrong with the input, for a model to act on; `undefined` if nothing is. Never throws. */
  async check(tool: Tool, input: unknown): Promise<string | undefined> {
    if (tool.checksInput === true) return undefined;
    try {
      const schema = await this.#schemaOf(tool.inputSchema);
      const problems = schema.problemsOf(input);
      if (problems.length === 0) return undefined;
      const known = schema.parameters.length === 0 ? '' : `\nIts parameters are: ${schema.parameters.join(', ')}.`;
      return `${tool.name} did not run, since its input is not valid:\n${problems.join('\n')}${known}`;
    } catch (error) {
      this.#options.onUnusableSchema(tool, error);
      return undefined;
    }
  }

  async #schemaOf(schema: JsonSchema): Promise<InputSchema> {
    const made = this.#schemas.get(schema) ?? loadInputSchema(schema);
    this.#schemas.set(schema, made);
    return await made;
  }
}

/** The validator is loaded when a tool first needs it. */
async function loadInputSchema(schema: JsonSchema): Promise<InputSchema> {
  const { InputSchema: Loaded } = await import('./input-schema.ts');
  return new Loaded(schema);
}
