import type Axe from 'axe-core';
import type { Page } from 'playwright-core';

declare const axe: typeof Axe;

/** What axe has against a page, in lines: the rule, and where it is broken. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  });
}
