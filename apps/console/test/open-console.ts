import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { ServiceProcess, TOKEN } from './service-process.ts';

const require = createRequire(import.meta.url);
const AXE = require.resolve('axe-core');

/** Generous, all of them: a machine that is busy with other tests takes its time. */
const WAIT_MS = 30_000;
/** For `expect.poll`. */
export const WAIT: { readonly timeout: number } = { timeout: WAIT_MS };
/** For what starts the service and a browser before the tests. */
export const START_MS = 120_000;

/** The real service, with the console in a real browser. */
export class OpenConsole implements AsyncDisposable {
  readonly service: ServiceProcess;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  /** What went wrong in pages: exceptions, and what their policy forbids. */
  readonly faults: string[] = [];

  private constructor(service: ServiceProcess, browser: Browser) {
    this.service = service;
    this.#browser = browser;
  }

  static async start(...args: readonly string[]): Promise<OpenConsole> {
    const service = await ServiceProcess.start({ args });
    return new OpenConsole(service, await launchChromium());
  }

  /** A page as a new visitor has it, who has to sign in. */
  async visit(fragment = '', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(WAIT_MS);
    await context.addInitScript({ path: AXE });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      // Answers that are no success are shown by the console itself.
      const isExpected = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isExpected) this.faults.push(message.text());
    });
    await page.goto(new URL(fragment, this.service.url).href);
    return page;
  }

  /** A page of somebody who is signed in, live. */
  async open(fragment = '', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.visit(fragment, options);
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await this.connected(page);
    return page;
  }

  /** Waits until a page is live. */
  async connected(page: Page): Promise<void> {
    await page.locator('.connection').getByText('connected', { exact: true }).waitFor();
  }

  /** Closes what a test has opened. */
  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.service[Symbol.asyncDispose]();
  }
}
