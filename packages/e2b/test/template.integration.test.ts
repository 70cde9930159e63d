import { Template } from 'e2b';
import { describe, expect, it } from 'vitest';
import { gatewayFiles } from '../src/bootstrap/layout.ts';
import { buildTemplate } from '../src/index.ts';
import { workspaceTemplate, type WorkspaceTemplateOptions } from '../src/template/workspace-template.ts';

interface Step {
  readonly type: string;
  readonly args: readonly string[];
  readonly filesHash?: string;
}

async function definition(
  options: WorkspaceTemplateOptions,
): Promise<{ readonly fromImage?: string; readonly fromTemplate?: string; readonly steps: readonly Step[] }> {
  return JSON.parse(await Template.toJSON(await workspaceTemplate(options), true)) as never;
}

describe('the template of a workspace', () => {
  it('has the gateway in it, under names that tell versions apart', async () => {
    const { program, ripgrep } = await gatewayFiles();
    const { fromTemplate, steps } = await definition({});
    expect(fromTemplate).toBe('base');
    const copies = steps.filter(({ type }) => type === 'COPY');
    expect(copies.map(({ args }) => args)).toStrictEqual([
      ['gateway.cjs', `/opt/agent-workspace/gateway/${program.name}`, 'root', '0644'],
      ['bin/linux-x64/rg', `/opt/agent-workspace/gateway/${ripgrep.x64.name}`, 'root', '0755'],
    ]);
    for (const { filesHash } of copies) expect(filesHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has Node, and the packages that were asked for', async () => {
    const { fromImage, steps } = await definition({
      fromImage: 'python:3.12-slim',
      nodeVersion: '22',
      extraPip: ['pandas>=2', "it's"],
      extraNpm: ['cowsay'],
    });
    expect(fromImage).toBe('python:3.12-slim');
    const runs = steps.filter(({ type }) => type === 'RUN').map(({ args: [script = '', user] }) => ({ script, user }));
    expect(runs.map(({ user }) => user)).toStrictEqual(['root', 'root', 'root']);
    const [node, pip, npm] = runs.map(({ script }) => script);
    expect(node).toContain('https://nodejs.org/dist/latest-v22.x/SHASUMS256.txt');
    expect(pip).toContain(String.raw`/opt/agent-workspace/venv/bin/pip install --no-cache-dir 'pandas>=2' 'it'\''s'`);
    expect(npm).toContain("npm install --global --prefix /opt/agent-workspace/npm 'cowsay'");
  });

  it('begins with one thing', async () => {
    await expect(buildTemplate({ name: 'x', baseTemplate: 'a', fromImage: 'b' })).rejects.toMatchObject({
      code: 'e2b-options-invalid',
      details: { option: 'fromImage' },
    });
  });

  it('says what E2B has against a build', async () => {
    const options = { name: 'x', apiKey: 'k', apiUrl: 'http://127.0.0.1:9', requestTimeoutMs: 2_000 };
    await expect(buildTemplate(options)).rejects.toMatchObject({
      code: 'e2b-request-failed',
      details: { operation: 'build the template x' },
    });
  });
});
