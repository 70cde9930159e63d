import { readFile, writeFile } from 'node:fs/promises';
import { LocalWorkspace } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import type { AgentConfig } from '@mastra/core/agent';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { mastraAgent } from '../src/mastra-agent.ts';

type Generated = Extract<
  NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate'],
  readonly unknown[]
>[number];

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const call = (toolCallId: string, toolName: string, input: object): Generated => ({
  content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: undefined },
  usage,
  warnings: [],
});

it('lets an agent of Mastra work in a workspace, and puts a long result away', async () => {
  await using directory = await TemporaryDirectory.create();
  await using workspace = await LocalWorkspace.open({ workdir: directory.at('workspace') });
  const session = workspace.session({ agentId: 'coder', sessionId: 'chat-1' });
  await writeFile(directory.at('workspace/dot.png'), PNG, 'base64');
  const model = new MockLanguageModelV4({
    doGenerate: [
      call('call-1', 'Write', { file_path: 'notes.txt', content: 'kept\n' }),
      call('call-2', 'Bash', { command: 'cat notes.txt; seq 1 20000' }),
      call('call-3', 'Read', { file_path: 'dot.png' }),
      {
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });

  // Mastra's type of a model differs from the SDK's own in what its mock is not used for.
  const agent = await mastraAgent({ session, model: model as unknown as AgentConfig['model'] });
  const { text } = await agent.generate('Write a note, then count.');

  expect(text).toBe('Done.');
  expect(await readFile(directory.at('workspace/notes.txt'), 'utf8')).toBe('kept\n');
  const offloaded = await readFile(directory.at('workspace/sessions/chat-1/tool_result-call-2.txt'), 'utf8');
  expect(offloaded).toContain('kept\n1\n2\n');
  const prompts = JSON.stringify(model.doGenerateCalls.map(({ prompt }) => prompt));
  expect(prompts).toContain('tool_result-call-2.txt');
  expect(prompts).not.toContain('19999');
  expect(prompts).toContain(PNG);
});
