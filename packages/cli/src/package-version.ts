import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Beside the sources in a checkout, and one folder further up from what is built. */
const PLACES = ['../package.json', '../../package.json'];

const manifestSchema = z.object({ name: z.literal('agent-workspace'), version: z.string() });

/** The version of this package. */
export function packageVersion(): string {
  for (const place of PLACES) {
    const manifest = manifestSchema.safeParse(readJson(new URL(place, import.meta.url)));
    if (manifest.success) return manifest.data.version;
  }
  return 'unknown';
}

function readJson(url: URL): unknown {
  try {
    return JSON.parse(readFileSync(url, 'utf8'));
  } catch {
    // There may be none in one of the places.
    return undefined;
  }
}
