import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  dts: true,
  platform: 'node',
  fixedExtension: false,
  // docs/decisions/005-zod-is-bundled-into-core.md
  deps: { onlyBundle: ['zod'] },
  copy: { from: 'node_modules/zod/LICENSE', rename: 'LICENSE-zod.txt' },
});
