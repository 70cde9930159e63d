import { requireEngine } from '@agent-workspace/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './chromium.ts';
import { OpenConsole, START_MS, WAIT } from './open-console.ts';

/** So little that a conversation is compressed after a few turns. */
const CONTEXT_BUDGET_TOKENS = '1500';

describe.skipIf(!(await requireEngine('chromium', findChromium)))('a session', { timeout: 180_000 }, () => {
  let console: OpenConsole;

  beforeAll(async () => {
    console = await OpenConsole.start('--single-tenant', '--context-budget', CONTEXT_BUDGET_TOKENS);
  }, START_MS);

  afterEach(async () => {
    await console.closePages();
    expect(console.faults.splice(0)).toStrictEqual([]);
  });

  afterAll(async () => {
    await console[Symbol.asyncDispose]();
  });

  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message to the agent').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const answers = (page: Page): Locator => page.getByRole('article', { name: 'Agent' });
  const state = (page: Page, text: string): Promise<void> =>
    page.locator('.page-header').getByText(text, { exact: true }).waitFor();

  it('streams an answer with the calls of tools in it, as text and nothing else', async () => {
    const page = await console.open('#/agents/coder/sessions/first');
    await page.getByText('Nothing has been said yet.').waitFor();
    await say(page, 'Write <b id="owned">this</b> down');
    await answers(page).getByText('I wrote it down in notes/1.md').waitFor();
    const call = answers(page)
      .getByRole('group')
      .filter({ has: page.getByText('Write', { exact: true }) });
    await call.getByText('success', { exact: true }).waitFor();
    await call.locator('summary').click();
    await call.getByLabel('Input of Write').getByText('notes/1.md').waitFor();
    expect(await page.locator('#owned').count()).toBe(0);
    await state(page, 'idle');
    expect(await call.getByLabel('Input of Write').isVisible()).toBe(true);

    await page.reload();
    await answers(page).getByText('I wrote it down in notes/1.md').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('row', { name: 'first' }).getByText('idle').waitFor();
  });

  it('asks before a call, and makes it when it is allowed', async () => {
    const page = await console.open('#/agents/asker/sessions/allowed');
    await page.getByLabel('What the agent may do').selectOption('ask');
    await say(page, '/write a.txt hello');
    await page.getByRole('heading', { name: 'The agent asks to go on' }).waitFor();
    await state(page, 'asks you');
    await page.getByRole('button', { name: 'Allow Write' }).click();
    await answers(page).getByText('success', { exact: true }).waitFor();
    await state(page, 'idle');
    expect(await page.getByRole('button', { name: 'Allow Write' }).count()).toBe(0);
  });

  it('does not make a call that is denied, also after a reload', async () => {
    const page = await console.open('#/agents/asker/sessions/denied');
    await page.getByLabel('What the agent may do').selectOption('ask');
    await say(page, '/write denied.txt hello');
    await page.getByRole('button', { name: 'Deny Write' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Deny Write' }).click();
    await answers(page).getByText('denied', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'files' }).click();
    await page.getByRole('table').waitFor();
    expect(await page.getByText('denied.txt').count()).toBe(0);
  });

  it('says that a turn failed, and tries again', async () => {
    const page = await console.open('#/agents/coder/sessions/failing');
    await say(page, '/fail The provider is away.');
    const alert = page.getByRole('alert');
    await alert.getByText('turn-failed').waitFor();
    const ends = page
      .getByRole('region', { name: 'Live events' })
      .getByRole('listitem')
      .filter({ hasText: 'chat-ended' });
    await expect.poll(() => ends.count(), WAIT).toBe(1);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => ends.count(), WAIT).toBe(2);
    await alert.getByText('turn-failed').waitFor();
  });

  it('is stopped, also by who has just come to it', async () => {
    const first = await console.open('#/agents/coder/sessions/endless');
    await say(first, '/hang');
    await answers(first).getByText('Thinking about it').waitFor();
    const second = await console.open('#/agents/coder/sessions/endless');
    await answers(second).getByText('Thinking about it').waitFor();
    await state(second, 'running');
    await second.getByRole('button', { name: 'Stop' }).click();
    await state(second, 'idle');
    await state(first, 'idle');
    expect(await second.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });

  it('shows a turn that another client begins', async () => {
    const page = await console.open('#/agents/coder/sessions/shared');
    await page.getByText('Nothing has been said yet.').waitFor();
    await console.service.chat('coder', 'shared', '/say Said elsewhere.');
    await answers(page).getByText('Said elsewhere.').waitFor();
    expect(await page.getByRole('article', { name: 'You' }).innerText()).toContain('/say Said elsewhere.');
  });

  it('has its offloaded results and context', async () => {
    const { service } = console;
    await service.chat('coder', 'long', '/run seq 100000');
    for (let turn = 0; turn < 4; turn += 1) await service.chat('coder', 'long', `/say ${`turn ${turn} `.repeat(400)}`);
    const page = await console.open('#/agents/coder/sessions/long/results');
    await page.getByText('Content', { exact: true }).first().click();
    const shown = page.getByLabel(/^Content of tool_result-/u);
    await page.getByRole('button', { name: /^Show all/u }).click();
    expect(await shown.innerText()).toMatch(/^1\n2\n3\n/u);
    await page.getByRole('link', { name: 'Context' }).click();
    await page.getByText("as in the session's context.jsonl").waitFor();
    await page.getByRole('article', { name: 'user' }).getByText('/run seq 100000').waitFor();
  });

  it('is deleted', async () => {
    await console.service.chat('coder', 'doomed', '/say Hello');
    const page = await console.open('#/agents/coder/sessions/doomed');
    await page.getByRole('button', { name: 'Delete session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: 'doomed' }).count(), WAIT).toBe(0);
  });

  describe('tells its events', () => {
    it('live, each with what it is about, and those of before the page came', async () => {
      const page = await console.open('#/events');
      await page.getByLabel('Filter events').fill('session-told');
      await page.getByText('Nothing yet.').waitFor();
      await console.service.chat('narrator', 'session-told', '/write b.txt hello');
      const rows = page.getByRole('log', { name: 'Events, newest first' }).getByRole('listitem');
      const ends = rows.filter({ hasText: 'chat-ended' });
      await expect.poll(() => ends.count(), WAIT).toBe(1);
      expect(await ends.innerText()).toMatch(/chat-ended\s+completed/u);
      expect(await rows.filter({ hasText: 'tool-ended' }).innerText()).toMatch(/Write · success · [\d.]+ m?s/u);

      await page.getByRole('button', { name: 'Pause' }).click();
      await console.service.chat('narrator', 'session-told', '/say More');
      expect(await ends.count()).toBe(1);
      await page.getByRole('button', { name: 'Go on' }).click();
      await expect.poll(() => ends.count(), WAIT).toBe(2);

      await page.reload();
      await page.getByLabel('Filter events').fill('session-told');
      await expect.poll(() => ends.count(), WAIT).toBe(2);
      await rows.first().getByRole('link', { name: 'narrator / session-told' }).click();
      await page.getByRole('heading', { name: 'session-told', level: 1 }).waitFor();
    });

    it('also after the service was away', async () => {
      const page = await console.open('#/agents/narrator/sessions/restarted');
      await say(page, '/say Before');
      await answers(page).getByText('Before').waitFor();
      await state(page, 'idle');
      await console.service.stop();
      await page.getByText('reconnecting …').waitFor();
      await say(page, '/say Lost');
      await page.getByRole('alert').getByText('network', { exact: true }).waitFor();

      await console.service.start();
      await console.connected(page);
      await answers(page).getByText('Before').waitFor();
      await console.service.chat('narrator', 'restarted', '/say After');
      await answers(page).getByText('After').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.getByRole('link', { name: 'Events' }).last().click();
      await page.getByRole('log').getByText('chat-ended').first().waitFor();
    });
  });
});
