import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** @throws where there is no Chromium on the PATH */
export async function findChromium(): Promise<string> {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  for (const path of NAMES.flatMap((name) => directories.map((directory) => join(directory, name)))) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  throw new Error(`none of ${NAMES.join(', ')} is on the PATH; on Debian: apt-get install chromium`);
}

export async function launchChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: await findChromium(),
    // Its own sandbox refuses root, as whom containers run.
    chromiumSandbox: !isRoot,
    // /dev/shm is small in containers.
    args: ['--disable-dev-shm-usage'],
  });
}
