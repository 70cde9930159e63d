import { createRequire } from 'node:module';
import type { ServiceProcess } from '../test/service-process.ts';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

const REPORT = `# Delays in November

| airport | flights | late |
| ------- | ------- | ---- |
| ZRH     | 4,812   | 9 %  |
| GVA     | 3,207   | 14 % |
| BSL     | 1,944   | 7 %  |

Fog explains most of Geneva's: see data/fog.csv.
`;

/** Where the pictures are taken. */
export interface Scene {
  readonly chat: string;
  readonly files: string;
  readonly mcps: string;
}

/** Agents that have been at work for a while. */
export async function prepareScene(service: ServiceProcess): Promise<Scene> {
  const analyst = await service.workspaceOf('analyst');
  await service.putFile(analyst, 'reports/november.md', REPORT);
  await service.putFile(
    analyst,
    'data/flights.csv',
    'airport,flights,late\nZRH,4812,433\nGVA,3207,449\nBSL,1944,136\n',
  );
  await service.putFile(analyst, 'data/fog.csv', 'airport,hours\nGVA,61\n');
  await service.putFile(analyst, 'reports/october.md', '# Delays in October\n');
  await service.putFile(analyst, 'reports/über uns.md', '# Über uns\n');
  await service.chat('analyst', 'delays-november', 'Which airports had the most delays in November?');
  await service.chat('analyst', 'delays-november', '/run sort -t, -k3 -n data/flights.csv');
  await service.chat('reviewer', 'pull-request-42', 'Is this change safe to merge?');
  await service.chat('reviewer', 'pull-request-43', '/write review.md Looks good.', 'ask');
  await service.chat('release-bot', 'v1.4.0', '/run seq 50000');
  const declare = async (declaration: unknown): Promise<void> => {
    await service.call(`v1/workspaces/${analyst}/mcps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(declaration),
    });
  };
  await declare({ name: 'everything', command: 'node', args: ['server-everything.mjs'], env: { API_KEY: 'secret' } });
  await service.putFile(analyst, 'server-everything.mjs', `await import(${JSON.stringify(EVERYTHING)});\n`);
  await declare({ name: 'warehouse', command: 'node', args: ['warehouse.mjs'] });
  await service.putFile(
    analyst,
    'warehouse.mjs',
    'console.error("warehouse 2.1.0\\nconnect ECONNREFUSED 127.0.0.1:5432"); process.exit(1);\n',
  );
  await service.call(`v1/workspaces/${analyst}/tools`);
  await service.chat('analyst', 'delays-november', '/write reports/summary.md Geneva leads, by fog.', 'ask');

  for (const agent of ['translator', 'support']) {
    await service.call(`v1/workspaces/${await service.workspaceOf(agent)}/close`, { method: 'POST' });
  }
  await service.begin('coder', 'fix-the-build', '/hang ls');

  const chat = '#/agents/analyst/sessions/delays-november/chat';
  return {
    chat,
    files: `#/workspaces/${analyst}/files?${new URLSearchParams({ path: 'reports', file: 'reports/november.md' })}`,
    mcps: `#/workspaces/${analyst}/mcps`,
  };
}
