import { readFile } from 'node:fs/promises';
import { defineConfig, type Rolldown } from 'tsdown';

/** In the order of the cascade. */
const STYLES = ['tokens', 'base', 'controls', 'layout', 'lists', 'chat', 'files'];

/** Puts files beside the bundle, each one the sum of some sources. */
function staticFiles(files: Readonly<Record<string, readonly string[]>>): Rolldown.Plugin {
  return {
    name: 'static-files',
    async generateBundle() {
      for (const [fileName, paths] of Object.entries(files)) {
        const texts = await Promise.all(paths.map((path) => readFile(new URL(path, import.meta.url), 'utf8')));
        this.emitFile({ type: 'asset', fileName, source: texts.join('\n') });
      }
    },
  };
}

export default defineConfig({
  entry: { console: 'src/page/main.tsx' },
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  dts: false,
  minify: true,
  fixedExtension: false,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  plugins: [
    staticFiles({
      'index.html': ['src/page/index.html'],
      'icon.svg': ['src/page/icon.svg'],
      'console.css': STYLES.map((name) => `src/page/styles/${name}.css`),
    }),
  ],
});
