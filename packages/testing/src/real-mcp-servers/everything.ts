import type { MCPClient, MCPProgress } from '@agent-workspace/core';
import { describe, expect, it } from 'vitest';
import { callTool, clientIn, type RealMcpServersOptions, textOf, useSharedWorkspace } from './real-mcp-options.ts';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function isPng(base64: unknown): boolean {
  return Buffer.from(String(base64), 'base64').subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
}

/** `@modelcontextprotocol/server-everything`: one of each. */
export function everythingServer(options: RealMcpServersOptions): void {
  describe('everything', () => {
    const shared = useSharedWorkspace(options, (workspace) =>
      workspace.addMcp({ name: 'everything', ...options.server('everything') }),
    );
    const everything = (): Promise<MCPClient> =>
      clientIn(shared().session({ agentId: 'a', sessionId: 's' }), 'everything');

    it('real-mcp:everything-tools: lists its tools, named for the model, with what it says of them', async () => {
      const tools = await (await everything()).listTools();
      const sum = tools.find(({ toolName }) => toolName === 'get-sum');
      expect(sum).toMatchObject({ name: 'mcp__everything__get-sum', serverName: 'everything', isReadOnly: true });
      expect(sum?.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] });
      const structured = tools.find(({ toolName }) => toolName === 'get-structured-content');
      expect(structured?.mcpTool.outputSchema).toMatchObject({ properties: { temperature: { type: 'number' } } });
    });

    it('real-mcp:everything-text: gives text, through the client and through the tool', async () => {
      const client = await everything();
      expect(await client.callTool('echo', { message: 'hi 你好' })).toMatchObject({
        content: [{ type: 'text', text: 'Echo: hi 你好' }],
      });
      expect(await callTool(client, 'get-sum', { a: 2, b: 40 })).toMatchObject({
        state: 'success',
        content: [{ type: 'text', text: expect.stringContaining('42') }],
      });
    });

    it('real-mcp:everything-image: gives an image, byte for byte, and text around it [M43]', async () => {
      const client = await everything();
      const { content } = await client.callTool('get-tiny-image', {});
      expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
      expect(content[1]).toMatchObject({ mimeType: 'image/png' });
      expect(isPng(content[1]?.['data'])).toBe(true);
      const result = await callTool(client, 'get-tiny-image', {});
      expect(result.content[1]).toMatchObject({
        type: 'data',
        source: { type: 'base64', media_type: 'image/png', data: content[1]?.['data'] },
      });
    });

    it('real-mcp:everything-resource: gives resources that are text, and such as are bytes [M43]', async () => {
      const client = await everything();
      const asText = await client.callTool('get-resource-reference', { resourceType: 'Text', resourceId: 2 });
      expect(asText.content[1]).toMatchObject({
        type: 'resource',
        resource: { mimeType: 'text/plain', text: expect.stringContaining('Resource 2') },
      });
      const asBytes = await client.callTool('get-resource-reference', { resourceType: 'Blob', resourceId: 1 });
      const { resource } = asBytes.content[1] as unknown as { readonly resource: { readonly blob: string } };
      expect(Buffer.from(resource.blob, 'base64').toString('utf8')).toContain('Resource 1');
      const shown = await callTool(client, 'get-resource-reference', { resourceType: 'Blob', resourceId: 1 });
      expect(shown.content[1]).toMatchObject({ type: 'data', name: expect.stringContaining('://') });
    });

    it('real-mcp:everything-resource-links: gives links to resources', async () => {
      const client = await everything();
      const { content } = await client.callTool('get-resource-links', { count: 2 });
      expect(content.slice(1)).toMatchObject([
        { type: 'resource_link', uri: expect.stringContaining('://'), mimeType: expect.any(String) },
        { type: 'resource_link', uri: expect.stringContaining('://'), mimeType: 'text/plain' },
      ]);
      const shown = textOf(await callTool(client, 'get-resource-links', { count: 2 }));
      for (const { uri } of content.slice(1)) expect(shown).toContain(String(uri));
    });

    it('real-mcp:everything-structured: gives structured content beside its text', async () => {
      const client = await everything();
      const result = await client.callTool('get-structured-content', { location: 'Chicago' });
      const weather = { temperature: expect.any(Number), conditions: expect.any(String), humidity: expect.any(Number) };
      expect(result.structuredContent).toEqual(weather);
      const shown = await callTool(client, 'get-structured-content', { location: 'Chicago' });
      expect(JSON.parse(textOf(shown))).toEqual(result.structuredContent);
      expect(shown.metadata['mcp_result']).toEqual({ structuredContent: result.structuredContent });
    });

    it('real-mcp:everything-annotated: keeps the annotations of its content', async () => {
      const client = await everything();
      const result = await client.callTool('get-annotated-message', { messageType: 'error', includeImage: true });
      expect(result.content).toMatchObject([
        { type: 'text', annotations: { priority: 1, audience: ['user', 'assistant'] } },
        { type: 'image', annotations: { priority: 0.5, audience: ['user'] } },
      ]);
    });

    it('real-mcp:everything-progress: tells the progress of a long operation, also as pieces of a result', async () => {
      const client = await everything();
      const input = { duration: 0.3, steps: 3 };
      const seen: MCPProgress[] = [];
      const result = await client.callTool('trigger-long-running-operation', input, {
        onProgress: (progress) => seen.push(progress),
      });
      expect(seen).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
      expect(result.content[0]).toMatchObject({ text: expect.stringContaining('completed') });
      const tool = (await client.listTools()).find(({ toolName }) => toolName === 'trigger-long-running-operation');
      const chunks = await Array.fromAsync(tool?.call(input) ?? []);
      const news = chunks.flatMap(({ metadata }) => metadata['mcp_progress'] ?? []);
      expect(news).toMatchObject([1, 2, 3].map((progress) => ({ progress })));
      expect(chunks.at(-1)).toMatchObject({ isLast: true, state: 'success' });
    });

    it('real-mcp:everything-cancel: lets go of a call that is cancelled, and takes the next', async () => {
      const client = await everything();
      const abort = new AbortController();
      const begin = performance.now();
      const call = client.callTool(
        'trigger-long-running-operation',
        { duration: 60, steps: 600 },
        {
          signal: abort.signal,
          onProgress: () => abort.abort(),
        },
      );
      await expect(call).rejects.toMatchObject({ code: 'mcp-call-cancelled' });
      expect(performance.now() - begin).toBeLessThan(30_000);
      expect(await client.callTool('echo', { message: 'next' })).toMatchObject({ content: [{ text: 'Echo: next' }] });
    });

    it("real-mcp:everything-error: gives a tool's own failure as a result, which a model can act on", async () => {
      const client = await everything();
      const result = await client.callTool('get-sum', { a: 'one' });
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.stringContaining('b') }] });
      expect(await callTool(client, 'get-sum', { a: 'one' })).toMatchObject({ state: 'error' });
    });

    it('real-mcp:everything-list-changed: lists the tools that it adds once it knows its client [M42]', async () => {
      const client = await everything();
      await client.connect();
      const names = async (): Promise<readonly string[]> => (await client.listTools()).map(({ toolName }) => toolName);
      await expect.poll(names, { timeout: 20_000 }).toContain('simulate-research-query');
    });
  });
}
