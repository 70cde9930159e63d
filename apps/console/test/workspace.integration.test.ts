import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireEngine } from '@agent-workspace/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './chromium.ts';
import { OpenConsole, START_MS, WAIT } from './open-console.ts';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

const SKILL = '---\nname: release-notes\ndescription: Writes release notes.\n---\n\nRead the log first.\n';

/** A picture of one red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const isLoaded = (image: SVGElement | HTMLElement): boolean => (image as HTMLImageElement).naturalWidth > 0;

describe.skipIf(!(await requireEngine('chromium', findChromium)))('a workspace', { timeout: 180_000 }, () => {
  let console: OpenConsole;
  let scratch: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'console-files-'));
    console = await OpenConsole.start('--single-tenant');
  }, START_MS);

  afterEach(async () => {
    await console.closePages();
    expect(console.faults.splice(0)).toStrictEqual([]);
  });

  afterAll(async () => {
    await console[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true, force: true });
  });

  /** One tab of the workspace that an agent has. */
  const openTab = async (agentId: string, tab: string): Promise<Page> =>
    console.open(`#/workspaces/${await console.service.workspaceOf(agentId)}/${tab}`);

  it('shows in the list with its state, age and time to eviction, and goes when it is removed', async () => {
    const page = await console.open();
    await console.service.workspaceOf('short-lived');
    const row = page.getByRole('row', { name: 'short-lived' });
    await row.getByText('open', { exact: true }).waitFor();
    expect(await row.innerText()).toMatch(/in (?:\d+ min|1 h)\s+\d+ (?:m?s|min)/u);

    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('closed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('open', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove workspace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
    await expect.poll(() => row.count(), WAIT).toBe(0);
  });

  it('lists its tools, those of MCP servers too, and servers that do not start', async () => {
    const page = await openTab('tooled', 'mcps');
    const add = async (declaration: unknown): Promise<void> => {
      await page.getByRole('button', { name: 'Add a server' }).click();
      await page.getByLabel('Declaration').fill(JSON.stringify(declaration));
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    };
    await add({
      mcpServers: { everything: { command: process.execPath, args: [EVERYTHING], env: { KEY: 'secret' } } },
    });
    const card = page.getByRole('listitem', { name: 'everything' });
    await card.waitFor();
    await card.getByRole('button', { name: 'Restart everything' }).click();
    await card.getByText('connected', { exact: true }).waitFor();
    expect(await card.innerText()).toContain('with KEY (values stay in the service)');
    await card.getByText('Tools', { exact: true }).click();
    await card.getByText('mcp__everything__echo').waitFor();

    await add({
      name: 'broken',
      command: process.execPath,
      args: ['-e', 'console.error("no database"); process.exit(3)'],
    });
    const broken = page.getByRole('listitem', { name: 'broken' });
    await broken.getByRole('button', { name: 'Restart broken' }).click();
    await broken.getByRole('alert').getByText('mcp-connect-failed').waitFor();
    await broken.getByText('failed', { exact: true }).waitFor();
    await expect.poll(() => broken.getByLabel('Standard error of broken').innerText(), WAIT).toContain('no database');

    // A server with a state is each session's own.
    await console.service.chat('tooled', 's1', '/call mcp__everything__echo {"message":"hi"}');
    await page.getByLabel('Those of').selectOption('tooled / s1');
    await expect.poll(() => card.innerText(), WAIT).toMatch(/connected\s+pid \d+/u);

    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByLabel('Filter tools').fill('echo');
    await page.getByText('mcp__everything__echo').waitFor();
    expect(await page.getByText('Bash', { exact: true }).count()).toBe(0);
  });

  it('has no servers where these would be programs of this machine, and says so', async () => {
    await using guarded = await OpenConsole.start();
    const page = await guarded.open(`#/workspaces/${await guarded.service.workspaceOf('guest')}/mcps`);
    expect(await page.getByText('Agents have no MCP servers of their own here').innerText()).toContain(
      '--single-tenant',
    );
    expect(await page.getByRole('button', { name: 'Add a server' }).count()).toBe(0);
  });

  it('says what is wrong with a declaration, and keeps it to be mended', async () => {
    const page = await openTab('tooled', 'mcps');
    await page.getByRole('button', { name: 'Add a server' }).click();
    const declaration = page.getByLabel('Declaration');
    await declaration.fill('{ "name": ');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('json-invalid').waitFor();
    expect(await declaration.inputValue()).toBe('{ "name": ');
  });

  it('takes skills as folders and as archives, and says why one is none', async () => {
    const folder = join(scratch, 'release-notes');
    await mkdir(join(folder, 'scripts'), { recursive: true });
    await writeFile(join(folder, 'SKILL.md'), SKILL);
    await writeFile(join(folder, 'scripts', 'log.sh'), 'git log\n');
    const archive = join(scratch, 'other.tar.gz');
    await promisify(execFile)('tar', ['-czf', archive, '-C', scratch, 'release-notes']);
    const page = await openTab('skilled', 'skills');
    const upload = async (button: string, path: string): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: button }).click(),
      ]);
      await chooser.setFiles(path);
    };

    await upload('Upload a folder', folder);
    const card = page.getByRole('listitem', { name: 'release-notes' });
    await card.getByText('Writes release notes.').waitFor();
    await card.getByText('Instructions').click();
    await card.getByText('Read the log first.').waitFor();
    await card.getByRole('button', { name: 'Remove release-notes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('There is no skill.').waitFor();

    await upload('Upload an archive', archive);
    await card.waitFor();

    await writeFile(join(scratch, 'none.zip'), 'not an archive');
    await upload('Upload an archive', join(scratch, 'none.zip'));
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').locator('code').innerText()).toMatch(/^(?:archive-rejected|skill-invalid)$/u);
  });

  it('has files of any name, and runs nothing of them', async () => {
    const { service } = console;
    const workspaceId = await service.workspaceOf('nasty');
    const names = [
      '<img src=x onerror=alert(1)>.txt',
      'two  spaces & 100%?#.txt',
      'דוח שנתי.txt',
      'photo\u{202E}gpj.exe',
    ];
    for (const name of names) await service.putFile(workspaceId, `all of them/${name}`, `I am ${name}`);
    await service.putFile(workspaceId, 'page.html', '<script>document.title = "owned"</script><b>bold</b>');
    await service.putFile(workspaceId, 'pixel.png', Buffer.from(PNG, 'base64'));
    await service.putFile(workspaceId, 'empty.txt', '');
    await service.putFile(workspaceId, 'binary.dat', Uint8Array.of(0, 255, 0, 254));
    await service.putFile(workspaceId, 'long.log', 'a line\n'.repeat(100_000));
    const page = await openTab('nasty', 'files');

    await page.getByRole('link', { name: 'directory all of them' }).click();
    for (const name of names) {
      const shown = name.replace('\u{202E}', '\\u{202E}');
      await page.getByRole('link', { name: `file ${shown}` }).click();
      await page.getByRole('heading', { name: shown.replace(/ {2}/u, ' ') }).waitFor();
      await expect.poll(() => page.locator('.file-pane pre').innerText(), WAIT).toBe(`I am ${name}`);
    }
    expect(await page.locator('main img').count()).toBe(0);

    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'workspace' }).click();
    await page.getByRole('link', { name: 'file page.html' }).click();
    await page.getByText('<b>bold</b>').waitFor();
    expect(await page.title()).not.toBe('owned');
    await page.getByRole('link', { name: 'file pixel.png' }).click();
    await expect.poll(() => page.getByRole('img', { name: 'pixel.png' }).evaluate(isLoaded), WAIT).toBe(true);
    await page.getByRole('link', { name: 'file empty.txt' }).click();
    await page.getByText('It is empty.').waitFor();
    await page.getByRole('link', { name: 'file binary.dat' }).click();
    await page.getByText('neither text nor an image').waitFor();

    await page.getByRole('link', { name: 'file long.log' }).click();
    await page.getByText('The first 200 kB of 700 kB').waitFor();
    await page.getByRole('button', { name: 'Show all 200,000 characters' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('long.log');
    expect((await readFile(await download.path(), 'utf8')).length).toBe(700_000);
  });

  it('takes files, overwrites none, and shows those that others write', async () => {
    const page = await openTab('writer', 'files');
    const upload = async (content: string): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Upload files' }).click(),
      ]);
      await chooser.setFiles({ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from(content) });
    };
    await upload('first');
    await page.getByRole('link', { name: 'file mine.txt' }).click();
    await page.getByText('first', { exact: true }).waitFor();
    await upload('second');
    await page.getByRole('alert').getByText('file-exists').waitFor();

    await console.service.chat('writer', 's1', '/write theirs.txt Written by an agent.');
    await page.getByRole('link', { name: 'file theirs.txt' }).click();
    await page.getByText('Written by an agent.').waitFor();
    await page.getByRole('button', { name: 'Remove theirs.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => page.getByRole('link', { name: 'file theirs.txt' }).count(), WAIT).toBe(0);
    await page.getByRole('link', { name: 'file mine.txt' }).waitFor();
  });

  it('draws thousands of files bit by bit, and finds one of them', async () => {
    const { service } = console;
    await service.chat('hoarder', 's1', "/run mkdir many && cd many && touch $(seq -f 'file-%04g.txt' 4000)");
    const page = await console.open(`#/workspaces/${await service.workspaceOf('hoarder')}/files?path=many`);
    await page.getByText('4,000 files, 300 shown').waitFor();
    expect(await page.getByRole('row').count()).toBe(301);
    await page.getByRole('button', { name: 'Show 300 more' }).click();
    await expect.poll(() => page.getByRole('row').count(), WAIT).toBe(601);
    await page.getByLabel('Filter files').fill('3999');
    await page.getByRole('link', { name: 'file file-3999.txt' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });
});
