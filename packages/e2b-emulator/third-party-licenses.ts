import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TsdownPlugin } from 'tsdown';

const PACKAGE_ROOT = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

async function licenseOf(root: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const file = (await readdir(root)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const text = file === undefined ? '' : await readFile(join(root, file), 'utf8');
  return `${name} ${version}\n\n${text.trim()}\n`;
}

/** Puts the licenses of all packages that are in the bundle, and of `others`, into one file beside it. */
export function thirdPartyLicenses(fileName: string, others: readonly string[]): TsdownPlugin {
  return {
    name: 'third-party-licenses',
    async generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const roots = new Set([...modules.flatMap((id) => PACKAGE_ROOT.exec(id)?.[1] ?? []), ...others]);
      const licenses = await Promise.all([...roots].map(licenseOf));
      this.emitFile({ type: 'asset', fileName, source: licenses.toSorted().join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}
