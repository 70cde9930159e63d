import { collectToolResult, type ToolChunk, type ToolResult, type WorkspaceSession } from '@agent-workspace/core';
import { awaitOrAbort } from './await-or-abort.ts';
import type { CallGate } from './call-gate.ts';
import type { ToolkitCallOptions } from './define-tool.ts';
import type { InputChecker } from './input-checker.ts';
import { judge, type PermissionCall, type Permissions, refusalOf } from './permissions.ts';
import type { CallChange, ToolHooks } from './tool-hooks.ts';
import { outputChunk, textChunk } from './tool-output.ts';

export interface CallRunnerOptions {
  readonly permissions: Permissions;
  readonly hooks: ToolHooks;
  readonly gate: CallGate;
  readonly session: WorkspaceSession | undefined;
  readonly inputChecker: InputChecker;
}

/** Brings one call from the model's words to its result: hooks, arguments, permission, turn, tool. */
export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /**
   * @param isApproved whoever is to be asked has said yes to this call
   * @throws the signal's reason, where it is aborted before the tool's turn comes; what the tool throws
   */
  async *run(given: PermissionCall, isApproved: boolean): AsyncIterable<ToolChunk> {
    const { permissions, hooks, inputChecker } = this.#options;
    const refusal = refusalOf(given.tool, permissions);
    if (refusal !== undefined) {
      yield denied(given, refusal);
      return;
    }

    const before = await this.#hook(given, 'before', async () => await hooks.beforeCall?.(given));
    if ('failure' in before) {
      yield before.failure;
      return;
    }
    const change: CallChange | undefined = before.value ?? undefined;
    if (change !== undefined && 'answer' in change) {
      yield outputChunk(change.answer);
      return;
    }
    const call = change === undefined ? given : { ...given, input: change.input };

    const problems = await inputChecker.check(call.tool, call.input);
    if (problems !== undefined) {
      yield textChunk(problems, 'error');
      return;
    }
    const obstacle = await this.#obstacle(call, isApproved);
    if (obstacle !== undefined) {
      yield obstacle;
      return;
    }
    yield* this.#callTool(call);
  }

  /** The answer to a call that may not run. Nobody's turn is held up while somebody is asked. */
  async #obstacle(call: PermissionCall, isApproved: boolean): Promise<ToolChunk | undefined> {
    const { permissions } = this.#options;
    const { name, signal } = call;
    try {
      const verdict = await awaitOrAbort(judge(call, permissions), signal);
      if (verdict === 'allow' || (verdict === 'ask' && isApproved)) return undefined;
      if (verdict !== 'ask') return denied(call, 'this call is not permitted here');
      if (permissions.approve === undefined)
        return denied(call, 'it needs an approval, and nobody can be asked for it');
      const isGranted = await awaitOrAbort(Promise.resolve(permissions.approve(call)), signal);
      return isGranted ? undefined : denied(call, 'it was not approved');
    } catch (error) {
      signal?.throwIfAborted();
      return textChunk(
        `${name} did not run, since its permission could not be found out: ${messageOf(error)}`,
        'error',
      );
    }
  }

  async *#callTool(call: PermissionCall): AsyncIterable<ToolChunk> {
    const { gate, session, hooks } = this.#options;
    const { tool, input, toolCallId, signal } = call;
    const options: ToolkitCallOptions = { toolCallId, signal, session };
    const leave = await gate.enter(tool.isConcurrencySafe, signal);
    // A tool may work on the backend by itself, which nobody would notice.
    using _hold = session?.hold();
    try {
      const chunks = tool.call(input, options);
      if (hooks.afterCall === undefined) {
        yield* chunks;
        return;
      }
      const held: ToolChunk[] = [];
      for await (const chunk of chunks) {
        // Passing news adds nothing to a result, so that the hook need not see it first.
        const isNews = chunk.content.length === 0 && !chunk.isLast;
        if (isNews) yield chunk;
        else held.push(chunk);
      }
      const result = await collectToolResult(held);
      const after = await this.#hook(call, 'after', async () => await hooks.afterCall?.(call, result));
      if ('failure' in after) {
        yield after.failure;
        return;
      }
      const changed: ToolResult = after.value ?? result;
      yield { ...changed, isLast: true };
    } finally {
      leave();
    }
  }

  async #hook<T>(
    { name, signal }: PermissionCall,
    moment: 'before' | 'after',
    run: () => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly failure: ToolChunk }> {
    try {
      return { value: await awaitOrAbort(run(), signal) };
    } catch (error) {
      signal?.throwIfAborted();
      const effect = moment === 'before' ? 'It did not run.' : 'It ran, and its result is lost.';
      return {
        failure: textChunk(`The hook that comes ${moment} ${name} failed: ${messageOf(error)}\n${effect}`, 'error'),
      };
    }
  }
}

function denied({ name }: PermissionCall, reason: string): ToolChunk {
  return textChunk(`${name} was denied and did not run: ${reason}.`, 'denied');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
