import { readFileSync } from 'node:fs';
import { lazy } from '@agent-workspace/core';

/** The version of this package, which clients show. */
export const packageVersion: () => string = lazy(() => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
});
