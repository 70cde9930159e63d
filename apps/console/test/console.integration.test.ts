import { requireEngine } from '@agent-workspace/testing';
import { consoleFiles } from '../src/console-files.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './chromium.ts';
import { findViolations } from './find-violations.ts';
import { tabTo } from './keyboard.ts';
import { OpenConsole, START_MS, WAIT } from './open-console.ts';
import { TOKEN } from './service-process.ts';

/** Before it is compressed. */
const MOST_SCRIPT_BYTES = 100_000;

describe.skipIf(!(await requireEngine('chromium', findChromium)))('the console', { timeout: 180_000 }, () => {
  let console: OpenConsole;

  beforeAll(async () => {
    console = await OpenConsole.start('--single-tenant');
  }, START_MS);

  afterEach(async () => {
    await console.closePages();
    expect(console.faults.splice(0)).toStrictEqual([]);
  });

  afterAll(async () => {
    await console[Symbol.asyncDispose]();
  });

  it('is a page, a style and one small script, none of which may bring in more', async () => {
    const files = await consoleFiles();
    expect([...files.keys()].toSorted()).toStrictEqual(['/', '/console.css', '/console.js', '/icon.svg']);
    expect(files.get('/console.js')?.body.byteLength).toBeLessThan(MOST_SCRIPT_BYTES);
    for (const [path, { headers }] of files) {
      const response = await fetch(new URL(path, console.service.url), { headers: { 'if-none-match': 'another' } });
      expect(response.headers.get('content-security-policy')).toBe(headers['content-security-policy']);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/u);
    }
  });

  it('asks for a token, and says why one is refused', async () => {
    const page = await console.visit('#/sessions');
    await page.getByLabel('Token').fill('a wrong one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('unauthorized', { exact: true }).waitFor();

    await page.getByLabel('Token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe('Sessions – Agent Workspace');

    await page.reload();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('asks again when the token is not accepted any more', async () => {
    const page = await console.open();
    await page.evaluate(() => {
      for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, 'revoked');
    });
    await page.reload();
    await page.getByText('does not accept this token any more').waitFor();
    expect(await page.getByLabel('Token').evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('leads from nothing to an answer by the keyboard alone, the focus always in view', async () => {
    const page = await console.visit();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor();

    const create = page.getByRole('button', { name: 'New workspace' });
    await tabTo(page, create);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New workspace' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => create.evaluate((element) => element === document.activeElement), WAIT).toBe(true);

    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Agent', { exact: true }));
    await page.keyboard.type('keyboardist');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'keyboardist', level: 1 }).waitFor();

    await tabTo(page, page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Files' }));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'directory .workspace' }).waitFor();
    await console.service.putFile(await console.service.workspaceOf('keyboardist'), 'drafts/one.md', 'A draft.');
    await tabTo(page, page.getByRole('link', { name: 'directory drafts' }));
    await page.keyboard.press('Enter');
    const draft = page.getByRole('link', { name: 'file one.md' });
    await draft.waitFor();
    await tabTo(page, draft);
    await page.keyboard.press('Enter');
    await page.getByText('A draft.').waitFor();
    expect(await draft.evaluate((element) => element === document.activeElement)).toBe(true);

    await tabTo(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sessions' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'New session' }));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByLabel('Agent', { exact: true }));
    await page.keyboard.type('keyboardist');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Message to the agent'));
    await page.keyboard.type('/say Typed, and answered.');
    await page.keyboard.press('Enter');
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await conversation.getByRole('article', { name: 'Agent' }).getByText('Typed, and answered.').waitFor();
  });

  it('has a link past the navigation', async () => {
    const page = await console.open();
    await page.reload();
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }));
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'Workspaces', level: 1 });
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('is dark or light as the system is, or as it is told to be', async () => {
    const page = await console.open('', { colorScheme: 'dark' });
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    expect(light).not.toBe(dark);

    await page.getByLabel('Theme').selectOption('dark');
    expect(await ground()).toBe(dark);
    await page.reload();
    await page.getByLabel('Theme').waitFor();
    expect(await ground()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByLabel('Theme').selectOption('light');
    expect(await ground()).toBe(light);
    await page.getByLabel('Theme').selectOption('system');
    expect(await ground()).toBe(dark);
  });

  it('says what is not there, and where to go', async () => {
    const page = await console.open('#/nowhere');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await page.getByRole('link', { name: 'Go to the workspaces.' }).getAttribute('href')).toBe('#/');
    await page.goto(new URL('#/workspaces/unknown/files', console.service.url).href);
    await page.getByRole('alert').getByText('workspace-not-found').first().waitFor();
  });

  describe('is accessible', () => {
    let fragments: readonly string[];

    beforeAll(async () => {
      const { service } = console;
      const workspaceId = await service.workspaceOf('coder');
      await service.putFile(workspaceId, 'notes/plan.md', '# Plan\n');
      await service.chat('coder', 'asks', '/write a.txt hello', 'ask');
      await service.chat('coder', 'talks', 'What is in here?');
      await service.chat('coder', 'talks', '/run seq 100000');
      const workspace = `#/workspaces/${workspaceId}`;
      fragments = [
        '#/',
        '#/sessions',
        '#/events',
        '#/nowhere',
        workspace,
        ...['tools', 'mcps', 'skills', 'files', 'events'].map((tab) => `${workspace}/${tab}`),
        `${workspace}/files?path=notes&file=notes%2Fplan.md`,
        '#/agents/coder/sessions/asks',
        '#/agents/coder/sessions/talks',
        '#/agents/coder/sessions/talks/context',
        '#/agents/coder/sessions/talks/results',
      ];
    }, START_MS);

    it.each([
      { colorScheme: 'light', width: 1440 },
      { colorScheme: 'dark', width: 1440 },
      { colorScheme: 'light', width: 360 },
    ] as const)('in $colorScheme at $width pixels, by the rules of axe', async ({ colorScheme, width }) => {
      const signIn = await console.visit('', { colorScheme, viewport: { width, height: 800 } });
      await signIn.getByLabel('Token').waitFor();
      expect(await findViolations(signIn)).toStrictEqual([]);

      const page = await console.open('', { colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' });
      for (const fragment of fragments) {
        await page.goto(new URL(fragment, console.service.url).href);
        // Else the heading may be that of the view before.
        await page.reload();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.getByText('Loading …').count(), WAIT).toBe(0);
        expect(await findViolations(page), fragment).toStrictEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${fragment} is wider than the screen`).toBeLessThanOrEqual(0);
      }
    });

    it('in its dialogs', async () => {
      const page = await console.open('#/sessions');
      await page.getByRole('button', { name: 'New session' }).click();
      await page.getByRole('dialog', { name: 'New session' }).waitFor();
      expect(await findViolations(page)).toStrictEqual([]);
    });
  });
});
