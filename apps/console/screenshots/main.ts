/* Draws the pictures of the README: the real service and console, with something going on in them. */
import { fileURLToPath } from 'node:url';
import { OpenConsole } from '../test/open-console.ts';
import { prepareScene } from './prepare-scene.ts';

const DIRECTORY = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 360, height: 740 };

await using app = await OpenConsole.start('--single-tenant', '--context-budget', '4000');
const scene = await prepareScene(app.service);
const shots = [
  { name: 'console-workspaces', fragment: '#/', colorScheme: 'light', viewport: WIDE },
  { name: 'console-chat', fragment: scene.chat, colorScheme: 'dark', viewport: WIDE },
  { name: 'console-files', fragment: scene.files, colorScheme: 'light', viewport: WIDE },
  { name: 'console-mcps', fragment: scene.mcps, colorScheme: 'dark', viewport: WIDE },
  { name: 'console-events', fragment: '#/events', colorScheme: 'light', viewport: WIDE },
  { name: 'console-narrow', fragment: scene.chat, colorScheme: 'light', viewport: NARROW },
] as const;

for (const { name, fragment, colorScheme, viewport } of shots) {
  const page = await app.open(fragment, { colorScheme, viewport, reducedMotion: 'reduce' });
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: `${DIRECTORY}${name}.png` });
  await app.closePages();
  console.log(`docs/images/${name}.png`);
}
