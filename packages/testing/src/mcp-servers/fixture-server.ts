import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What a fixture server does.
 *
 * - `echo`: tools `echo` (read-only), `env`, `cwd`, `pid`, `counter`, `sleep` `{ms}`, `fail` (isError), `reject`
 *   `{code}` (JSON-RPC error), `crash` (exit 9), `cancellations`, `progress` `{times, everyMs}`, `add_tool` `{name}`
 * - `crash-at-start`: writes `boom` to stderr, exits 7
 * - `crash-in-call`: its tool `crash` exits 9
 * - `crash-after`: exits 3 after the number of `counter` calls that its argument says (3)
 * - `silent`: reads and never answers
 * - `ignores-sigterm`: `echo`, deaf to SIGTERM and to the end of stdin
 * - `spawns-children`: `spawn` starts two children and gives their pids, `die` exits 5
 * - `floods-stderr`: megabytes of stderr at start and in `flood`
 * - `endless-pages`: `tools/list` never ends; with the argument `same`, one cursor again and again
 * - `many-pages`: 300 tools, 10 a page
 * - `huge-result`: `huge` answers with 12 MiB, or `{bytes}`
 * - `unknown-content`: one tool a kind of content: `image`, `audio`, `resource_text`, `resource_blob`,
 *   `resource_link`, `unknown`, `structured` (against its own schema), `empty`, `error_image`
 * - `split-utf8`: `split` cuts a character in two writes, `separators` sends U+2028, U+2029 and U+0085
 * - `slow-start`: answers `initialize` after its argument's milliseconds (1,000)
 * - `odd-names`: `ns:do`, `ns.do`, `fs.read`, `ns_do` and two names of 128 characters that differ in the last
 * - `duplicate-tools`: `same` twice, and `other`
 * - `tools-list-errors`: initializes, then fails `tools/list`; with the argument `second`, only the second time
 * - `noise`: `echo` with lines on stdout that are no messages
 * - `endless-line`: `flood` writes 80 MiB without an end of line
 */
export type FixtureServerName =
  | 'echo'
  | 'crash-at-start'
  | 'crash-in-call'
  | 'crash-after'
  | 'silent'
  | 'ignores-sigterm'
  | 'spawns-children'
  | 'floods-stderr'
  | 'endless-pages'
  | 'many-pages'
  | 'huge-result'
  | 'unknown-content'
  | 'split-utf8'
  | 'slow-start'
  | 'odd-names'
  | 'duplicate-tools'
  | 'tools-list-errors'
  | 'noise'
  | 'endless-line';

/** The one file that holds all of them lies beside this one in the sources, and beside the bundle when built. */
function mainPath(): string {
  const own = fileURLToPath(import.meta.url);
  const main = extname(own) === '.ts' ? './main.ts' : './mcp-servers/main.js';
  return fileURLToPath(new URL(main, import.meta.url));
}

/** How to start a fixture server on this host. */
export function fixtureServer(name: FixtureServerName, argument?: string): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [mainPath(), name, ...(argument === undefined ? [] : [argument])],
  };
}

/**
 * The fixture servers as one self-contained ES module without types, to be written to where a
 * server has to run (as `servers.mjs`) and started as `node servers.mjs <name> [argument]`.
 */
export async function fixtureServerSource(): Promise<string> {
  const path = mainPath();
  const source = await readFile(path, 'utf8');
  return extname(path) === '.ts' ? stripTypeScriptTypes(source) : source;
}
