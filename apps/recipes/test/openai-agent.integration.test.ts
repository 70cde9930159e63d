import { readFile, writeFile } from 'node:fs/promises';
import { LocalWorkspace } from '@agent-workspace/local';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { type AgentOutputItem, type Model, type ModelRequest, Runner, Usage } from '@openai/agents';
import { expect, it } from 'vitest';
import { openAIAgent } from '../src/openai-agent.ts';

const call = (callId: string, name: string, input: object): AgentOutputItem => ({
  type: 'function_call',
  callId,
  name,
  status: 'completed',
  arguments: JSON.stringify(input),
});

const says = (text: string): AgentOutputItem => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A model that gives these answers, one a turn, and keeps what it was asked. */
function scriptedModel(answers: readonly AgentOutputItem[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async getResponse(request) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error('the script is at its end');
      return { usage: new Usage(), output: [answer] };
    },
    getStreamedResponse() {
      throw new Error('the script does not stream');
    },
  };
}

it('lets an agent of the OpenAI Agents SDK work in a workspace', async () => {
  await using directory = await TemporaryDirectory.create();
  await using workspace = await LocalWorkspace.open({ workdir: directory.at('workspace') });
  const session = workspace.session({ agentId: 'coder', sessionId: 'chat-1' });
  await writeFile(directory.at('workspace/dot.png'), PNG, 'base64');
  const model = scriptedModel([
    call('call-1', 'Write', { file_path: 'notes.txt', content: 'kept\n' }),
    call('call-2', 'Bash', { command: 'cat notes.txt; seq 1 20000' }),
    call('call-3', 'Read', {}),
    call('call-4', 'Read', { file_path: 'dot.png' }),
    says('Done.'),
  ]);

  const agent = await openAIAgent({ session, model });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'Write a note, then count.');

  expect(finalOutput).toBe('Done.');
  expect(await readFile(directory.at('workspace/notes.txt'), 'utf8')).toBe('kept\n');
  const offloaded = await readFile(directory.at('workspace/sessions/chat-1/tool_result-call-2.txt'), 'utf8');
  expect(offloaded).toContain('kept\n1\n2\n');
  const last = JSON.stringify(model.requests.at(-1)?.input);
  expect(last).toContain('tool_result-call-2.txt');
  expect(last).not.toContain('19999');
  // Bad arguments are told to the model, and images are shown to it.
  expect(last).toMatch(/call-3[^]*file_path/);
  expect(last).toContain(PNG);
});
