import type { Locator, Page } from 'playwright-core';

/** More than any view has stops. */
const MOST_STOPS = 80;

/**
 * Goes to an element by the Tab key alone.
 *
 * @throws where it cannot be reached so, or where a stop on the way does not show that it has the focus
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return undefined;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: element.outerHTML.slice(0, 200), isShown: outlineStyle !== 'none' && outlineWidth !== '0px' };
    });
    if (place?.isShown === false) throw new Error(`It does not show that it has the focus: ${place.name}`);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`The Tab key does not lead to ${String(target)}.`);
}
