import type { TsdownPlugin } from 'tsdown';

/** Begins the ids of modules that a plugin makes up. */
const MADE_UP = '\0late:';

/**
 * Has builtin modules loaded by the module that imports them, when that is, and not with the program: for
 * those that take long and that the start has no use for.
 *
 * @param names without `node:`
 */
export function lateBuiltins(names: readonly string[]): TsdownPlugin {
  const late = new Set(names.map((name) => `node:${name}`));
  return {
    name: 'late-builtins',
    resolveId: (source, importer) =>
      late.has(source) && importer?.startsWith(MADE_UP) !== true ? `${MADE_UP}${source}` : undefined,
    load: (id) =>
      id.startsWith(MADE_UP) ? `module.exports = require(${JSON.stringify(id.slice(MADE_UP.length))});` : undefined,
  };
}

/** Escapes what is not ASCII: Node reads such a program twice as fast, and keeps it in half the memory. */
export function asciiOnly(): TsdownPlugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replaceAll(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    },
  };
}

/**
 * Takes the parentheses off the functions that hold CommonJS modules. By them V8 compiles a function before
 * it is called, and most of these never are: they made half of what Node's compile cache reads at each start.
 */
export function lateModules(): TsdownPlugin {
  return {
    name: 'late-modules',
    renderChunk: (code) => code.replaceAll(/(__commonJSMin\()\((\([^()]*\) => \{\n[\s\S]*?\n\})\)(\);)/g, '$1$2$3'),
  };
}
