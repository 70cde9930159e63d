import type { PrepareStepFunction, PrepareStepResult, ToolSet } from 'ai';

/**
 * Makes one `prepareStep` of several, since an agent has one place for it. Each sees what those
 * before it have changed; of the settings that they return, the last word counts.
 */
export function composePrepareSteps<Tools extends ToolSet = ToolSet>(
  ...functions: readonly (PrepareStepFunction<Tools> | undefined)[]
): PrepareStepFunction<Tools> {
  return async (initial) => {
    let options = initial;
    let merged: PrepareStepResult<Tools>;
    for (const prepare of functions) {
      const result = await prepare?.(options);
      if (result === undefined) continue;
      const { system, ...settings } = result;
      const instructions = settings.instructions ?? system;
      const changes = definedEntries({ ...settings, instructions });
      merged = { ...merged, ...changes };
      const { messages, model, runtimeContext, toolsContext, experimental_sandbox } = changes;
      const visible = definedEntries({
        messages,
        model,
        runtimeContext,
        toolsContext,
        experimental_sandbox,
        instructions,
      });
      options = { ...options, ...visible };
    }
    return merged;
  };
}

/** An undefined setting says nothing and must not hide an earlier one. */
function definedEntries<T extends object>(settings: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
}
