import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSandboxSession } from '@agent-workspace/ai-sdk';
import type { Workspace } from '@agent-workspace/core';
import { type Experimental_SandboxSession as SandboxSession, generateText, isStepCount, jsonSchema, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BackendName, openPlace } from '../src/places/open-place.ts';
import { scriptedModel } from '../src/scripted-model.ts';
import { BUILD_TIMEOUT_MS, hasDocker } from './docker.ts';

const backends: readonly BackendName[] = hasDocker ? ['local', 'docker'] : ['local'];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = async (stream: ReadableStream<Uint8Array> | null): Promise<string | undefined> =>
  stream === null ? undefined : await new Response(stream).text();

describe.each(backends)("a workspace as the AI SDK's sandbox (%s)", (backend) => {
  let parent: string;
  let workspace: Workspace;
  let sandbox: SandboxSession;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
    const place = await openPlace(backend, { directory: join(parent, 'workspace') });
    workspace = await place.open({ seeds: { defaultMcps: [], skillPaths: [] } });
    sandbox = toSandboxSession(workspace.session({ sessionId: 'chat' }));
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await workspace.destroy();
    await rm(parent, { recursive: true, force: true });
  });

  it('says where it is', () => {
    expect(sandbox.description).toContain(workspace.workdir);
  });

  it('writes text, bytes and streams with their parents, and reads them back', async () => {
    await sandbox.writeTextFile({ path: 'a/b/text.txt', content: 'Grüße\n' });
    await sandbox.writeBinaryFile({ path: 'a/c/bytes.bin', content: new Uint8Array([0, 255, 10]) });
    await sandbox.writeFile({
      path: `${workspace.workdir}/a/d/stream.txt`,
      content: new Blob(['one', 'two']).stream(),
    });
    expect(await sandbox.readTextFile({ path: `${workspace.workdir}/a/b/text.txt` })).toBe('Grüße\n');
    expect(await sandbox.readBinaryFile({ path: 'a/c/bytes.bin' })).toEqual(new Uint8Array([0, 255, 10]));
    expect(await textOf(await sandbox.readFile({ path: 'a/d/stream.txt' }))).toBe('onetwo');
  });

  it('keeps to an encoding, and refuses one that it does not know', async () => {
    await sandbox.writeTextFile({ path: 'latin.txt', content: 'é', encoding: 'latin1' });
    expect(await sandbox.readBinaryFile({ path: 'latin.txt' })).toEqual(new Uint8Array([0xe9]));
    expect(await sandbox.readTextFile({ path: 'latin.txt', encoding: 'latin1' })).toBe('é');
    const refusal = { code: 'encoding-unsupported' };
    await expect(sandbox.readTextFile({ path: 'latin.txt', encoding: 'nonsense' })).rejects.toMatchObject(refusal);
    await expect(sandbox.writeTextFile({ path: 'x.txt', content: 'x', encoding: 'nonsense' })).rejects.toMatchObject(
      refusal,
    );
  });

  it('reads lines from 1, the last one included, and past the end without an error', async () => {
    await sandbox.writeTextFile({ path: 'lines.txt', content: 'one\ntwo\nthree' });
    expect(await sandbox.readTextFile({ path: 'lines.txt', startLine: 2, endLine: 2 })).toBe('two');
    expect(await sandbox.readTextFile({ path: 'lines.txt', startLine: 2, endLine: 99 })).toBe('two\nthree');
  });

  it('gives null for what is not there', async () => {
    const path = 'nowhere/file';
    expect(await sandbox.readFile({ path })).toBeNull();
    expect(await sandbox.readBinaryFile({ path })).toBeNull();
    expect(await sandbox.readTextFile({ path })).toBeNull();
    expect(await sandbox.stat({ path })).toBeNull();
    expect(await sandbox.listDirectory({ path })).toBeNull();
    expect(await sandbox.deleteFile({ path })).toBe(false);
  });

  it('tells files, directories and links apart', async () => {
    await sandbox.writeTextFile({ path: 'kinds/file', content: '123' });
    await sandbox.run({ command: 'mkdir kinds/directory && ln -s file kinds/link && ln -s gone kinds/dangling' });
    expect(await sandbox.stat({ path: 'kinds/file' })).toEqual({ type: 'file', size: 3 });
    expect(await sandbox.stat({ path: 'kinds/link' })).toEqual({ type: 'file', size: 3 });
    expect(await sandbox.stat({ path: 'kinds/directory' })).toMatchObject({ type: 'directory' });
    expect(await sandbox.stat({ path: 'kinds/dangling' })).toBeNull();
    expect(await sandbox.listDirectory({ path: 'kinds' })).toEqual([
      { name: 'dangling', type: 'symlink' },
      { name: 'directory', type: 'directory' },
      { name: 'file', type: 'file' },
      { name: 'link', type: 'symlink' },
    ]);
    await expect(sandbox.listDirectory({ path: 'kinds/file' })).rejects.toMatchObject({ code: 'not-a-directory' });
    await expect(sandbox.writeTextFile({ path: 'kinds/directory', content: 'x' })).rejects.toMatchObject({
      code: 'not-a-file',
    });
  });

  it('deletes a file, and a link itself', async () => {
    await sandbox.writeTextFile({ path: 'doomed/file', content: 'x' });
    await sandbox.run({
      command: 'ln -s file doomed/link; ln -s /etc/hostname doomed/outward; mkdir doomed/directory',
    });
    expect(await sandbox.deleteFile({ path: 'doomed/link' })).toBe(true);
    expect(await sandbox.deleteFile({ path: 'doomed/outward' })).toBe(true);
    expect(await sandbox.readTextFile({ path: 'doomed/file' })).toBe('x');
    expect(await sandbox.deleteFile({ path: 'doomed/file' })).toBe(true);
    await expect(sandbox.deleteFile({ path: 'doomed/directory' })).rejects.toMatchObject({ code: 'not-a-file' });
  });

  it('writes nothing that the workspace keeps for itself', async () => {
    const refusal = { code: 'path-protected' };
    await expect(sandbox.writeTextFile({ path: '.mcp', content: '[]' })).rejects.toMatchObject(refusal);
    await expect(sandbox.writeTextFile({ path: '.workspace/lock', content: '' })).rejects.toMatchObject(refusal);
    await expect(sandbox.deleteFile({ path: '.workspace/state.json' })).rejects.toMatchObject(refusal);
    await sandbox.run({ command: 'ln -s .mcp innocent' });
    await expect(sandbox.writeTextFile({ path: 'innocent', content: '[]' })).rejects.toMatchObject(refusal);
  });

  it('runs a command line with its directory and its variables', async () => {
    await sandbox.writeTextFile({ path: 'sub/file', content: 'x' });
    const result = await sandbox.run({
      command: 'ls && echo "$GREETING" >&2; exit 3',
      workingDirectory: 'sub',
      env: { GREETING: 'hello' },
    });
    expect(result).toEqual({ exitCode: 3, stdout: 'file\n', stderr: 'hello\n' });
  });

  it('gives a signal as 128 and its number', async () => {
    expect(await sandbox.run({ command: 'kill -KILL $$' })).toMatchObject({ exitCode: 137 });
    const process = await sandbox.spawn({ command: 'kill -TERM $$' });
    expect(await process.wait()).toEqual({ exitCode: 143 });
  });

  it('ends a command when it is aborted, and rejects with the reason', async () => {
    const reason = new Error('no longer wanted');
    const late = { command: 'sleep 600', abortSignal: AbortSignal.abort(reason) };
    await expect(sandbox.spawn(late)).rejects.toBe(reason);
    const controller = new AbortController();
    const running = await sandbox.spawn({ command: 'echo up; sleep 600', abortSignal: controller.signal });
    const reader = running.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('up\n');
    controller.abort(reason);
    await expect(running.wait()).rejects.toBe(reason);
    await expect(sandbox.run({ command: 'sleep 600', abortSignal: controller.signal })).rejects.toBe(reason);
  });

  it('spawns with streams, and without stdin unless it is asked for', async () => {
    const plain = await sandbox.spawn({ command: 'cat; echo err >&2' });
    expect('stdin' in plain).toBe(false);
    const [stdout, stderr, end] = await Promise.all([textOf(plain.stdout), textOf(plain.stderr), plain.wait()]);
    expect({ stdout, stderr, end }).toEqual({ stdout: '', stderr: 'err\n', end: { exitCode: 0 } });

    const writable = await sandbox.spawn({ command: 'tr a-z A-Z', stdin: true });
    const writer = writable.stdin.getWriter();
    await writer.write(bytes('loud'));
    await writer.close();
    expect(await textOf(writable.stdout)).toBe('LOUD');
    expect(await writable.wait()).toEqual({ exitCode: 0 });
  });

  it('kills a process, however often it is told to, and is in use until it has ended', async () => {
    const process = await sandbox.spawn({ command: 'sleep 600' });
    expect(workspace.isInUse).toBe(true);
    await Promise.all([process.kill(), process.kill()]);
    await process.kill();
    expect(await process.wait()).toEqual({ exitCode: 143 });
    await vi.waitFor(() => expect(workspace.isInUse).toBe(false));
  });

  it('serves a tool of others that is given it with a call', async () => {
    const count = tool({
      inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
      execute: async ({ path }, { experimental_sandbox: given }) => {
        const text = await given?.readTextFile({ path });
        return `${(text ?? '').split('\n').length} lines`;
      },
    });
    await sandbox.writeTextFile({ path: 'poem.txt', content: 'a\nb' });
    const { steps } = await generateText({
      model: scriptedModel([() => [{ tool: 'count', input: { path: 'poem.txt' } }], () => 'done']),
      tools: { count },
      experimental_sandbox: sandbox,
      stopWhen: isStepCount(2),
      prompt: 'go',
    });
    expect(steps[0]?.toolResults[0]?.output).toBe('2 lines');
  });
});
