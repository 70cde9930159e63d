import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OperationAbortedError } from '../errors/operation-aborted-error.ts';
import { PathInvalidError } from '../errors/path-invalid-error.ts';
import type { WorkspaceEvent } from '../events/workspace-event.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin, success } from './define-builtin.ts';
import { collectToolResult, type ToolResult } from './tool-result.ts';
import type { Tool, ToolCallOptions } from './tool.ts';

const parameters = z.object({ name: z.string().min(1), count: z.int().min(1).default(3) });
type Run = (input: z.output<typeof parameters>, call: BuiltinCall) => Promise<BuiltinOutcome>;

class Recorder {
  readonly events: WorkspaceEvent[] = [];
  held = 0;

  tool(run: Run): Tool {
    const hold = (): Disposable => {
      this.held += 1;
      return { [Symbol.dispose]: () => (this.held -= 1) };
    };
    return defineBuiltin(
      {
        name: 'Test',
        description: '',
        parameters,
        annotations: {},
        isReadOnly: true,
        isConcurrencySafe: true,
        isSelfPaging: true,
        run,
      },
      { scope: { sessionId: 's' }, emit: (event) => this.events.push(event), hold },
    );
  }
}

const greet: Run = ({ name, count }) => Promise.resolve(success(`${name} ${count}`));

async function call(run: Run, input: unknown, options?: ToolCallOptions): Promise<ToolResult> {
  return collectToolResult(new Recorder().tool(run).call(input, options));
}

const textOf = ({ content }: ToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('');

describe('defineBuiltin', () => {
  it('makes a plain JSON Schema of what a model may give', () => {
    expect(new Recorder().tool(greet).inputSchema).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        count: { type: 'integer', minimum: 1, default: 3 },
      },
      required: ['name'],
    });
  });

  it('fills in defaults, ignores what it does not know, and takes numbers given as text', async () => {
    expect(textOf(await call(greet, { name: 'a', other: 1 }))).toBe('a 3');
    expect(textOf(await call(greet, { name: 'a', count: '5' }))).toBe('a 5');
  });

  it('lists every problem of an input, and what there is', async () => {
    const result = await call(greet, { count: 0 });
    expect(result).toMatchObject({ state: 'error', metadata: { error_code: 'input-invalid' } });
    expect(textOf(result)).toBe(
      'Test did not run, since its input is not valid:\n- name: it is required\n- count: Too small: expected number to be >=1\nIts parameters are: name, count.',
    );
    expect((await call(greet, 'text')).state).toBe('error');
  });

  it('tells the model of a workspace error, and lets any other one through', async () => {
    const failing = await call(() => Promise.reject(new PathInvalidError({ path: 'x', reason: 'no' })), { name: 'a' });
    expect(failing).toMatchObject({ state: 'error', metadata: { error_code: 'path-invalid' } });
    expect(textOf(failing)).toBe('"x" is not a usable path: no.');
    await expect(call(() => Promise.reject(new TypeError('bug')), { name: 'a' })).rejects.toThrow('bug');
  });

  it('ends as interrupted when the caller aborts, before or meanwhile', async () => {
    const early = await call(greet, { name: 'a' }, { signal: AbortSignal.abort() });
    expect(early.state).toBe('interrupted');
    for (const reason of [undefined, new Error('own reason'), 'text']) {
      const abort = new AbortController();
      const waiting = call(
        (_input, { signal }) => {
          abort.abort(reason);
          return Promise.reject(reason === 'text' ? new OperationAbortedError({ operation: 'x' }) : signal?.reason);
        },
        { name: 'a' },
        { signal: abort.signal },
      );
      expect((await waiting).state).toBe('interrupted');
    }
  });

  it('tells of start, output and end, and holds the workspace in between', async () => {
    const recorder = new Recorder();
    const tool = recorder.tool((_input, { onOutput }) => {
      onOutput({ stream: 'stderr', bytes: Uint8Array.of(1) });
      expect(recorder.held).toBe(1);
      return Promise.resolve(success('ok'));
    });
    for await (const chunk of tool.call({ name: 'a' }, { toolCallId: 'c' })) {
      expect(chunk.isLast).toBe(true);
      expect(recorder.held).toBe(0);
    }
    const about = { scope: { sessionId: 's' }, tool: 'Test', toolCallId: 'c' };
    expect(recorder.events).toEqual([
      { type: 'tool-started', ...about },
      { type: 'tool-output', ...about, stream: 'stderr', bytes: Uint8Array.of(1) },
      { type: 'tool-ended', ...about, state: 'success', durationMs: expect.any(Number) },
    ]);
  });

  it('lets go and tells of the end when it fails, too', async () => {
    const recorder = new Recorder();
    const tool = recorder.tool(() => Promise.reject(new TypeError('bug')));
    await expect(collectToolResult(tool.call({ name: 'a' }))).rejects.toThrow('bug');
    expect(recorder.held).toBe(0);
    expect(recorder.events.at(-1)).toMatchObject({ type: 'tool-ended', state: 'error' });
  });
});
