import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same place from the sources and, one day, from a build: beside `src`. */
const BUILT = fileURLToPath(new URL('../dist', import.meta.url));

/** What a page may do: run and show what the service sent, and talk to the service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** One file of the console, ready to be sent. */
export interface ConsoleFile {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Type, `etag`, caching, and the policies of the page. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The console's files by the path of their URL, such as `/` and `/console.js`. None where it is not built. */
export async function consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  for (const name of await builtNames()) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const body = Uint8Array.from(await readFile(join(BUILT, name)));
    const headers = {
      'content-type': contentType,
      'cache-control': 'no-cache',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    files.set(name === 'index.html' ? '/' : `/${name}`, { body, headers });
  }
  return files;
}

async function builtNames(): Promise<readonly string[]> {
  try {
    return await readdir(BUILT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
