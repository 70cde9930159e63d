import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropic } from '@ai-sdk/anthropic';
import { agentSettings, type AgentSettingsOptions } from '@agent-workspace/ai-sdk';
import { LocalWorkspace } from '@agent-workspace/local';
import { requireEngine } from '@agent-workspace/testing';
import { gateway, type LanguageModel, ToolLoopAgent } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/* What the adapter makes of results and tools is what a real provider takes. */

/** Small and quick, and known to both ways. */
function realModel(): LanguageModel {
  if (process.env['ANTHROPIC_API_KEY'] !== undefined) return anthropic('claude-haiku-4-5');
  if (process.env['AI_GATEWAY_API_KEY'] !== undefined) return gateway('anthropic/claude-haiku-4.5');
  throw new Error('neither ANTHROPIC_API_KEY nor AI_GATEWAY_API_KEY is set');
}

const hasModel = await requireEngine('model', () => Promise.resolve().then(realModel));
const RED_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'real-model-test-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function ask(
  files: Readonly<Record<string, string | Uint8Array>>,
  question: string,
  options: AgentSettingsOptions = {},
): Promise<string> {
  await using workspace = await LocalWorkspace.open({ workdir: join(directory, 'workspace') });
  for (const [path, content] of Object.entries(files)) await workspace.backend.writeFile(path, content);
  const session = workspace.session({ agentId: 'coder', sessionId: 'chat' });
  const agent = new ToolLoopAgent({ model: realModel(), ...(await agentSettings(session, options)) });
  return (await agent.generate({ prompt: question })).text;
}

describe.skipIf(!hasModel)('an agent with a real model', () => {
  it('finds out by its tools, from a result that was put away, too', async () => {
    const lines = Array.from({ length: 4_000 }, (_, n) => `${n}: nothing here`);
    lines[3_210] = '3210: the password is tangerine';
    const answer = await ask(
      { 'log.txt': lines.join('\n') },
      'Run `cat log.txt`, and tell me the password that is somewhere in its output. Answer with the password only.',
      { offloadThresholdChars: 5_000 },
    );
    expect(answer.toLowerCase()).toContain('tangerine');
  });

  it('sees images, and goes on after errors and denials', async () => {
    const answer = await ask(
      { 'pixel.png': Buffer.from(RED_PIXEL, 'base64') },
      'First Read the file missing.txt. Then run `ls` with Bash. Then Read pixel.png. ' +
        'Some of this will fail; go on. Then say which of the three worked, by their tool and argument.',
      { permissions: { tools: { Bash: () => 'deny' } } },
    );
    expect(answer).toContain('pixel.png');
  });
});
