import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', 'mcp-servers/main': 'src/mcp-servers/main.ts' },
  format: 'esm',
  dts: true,
  platform: 'node',
  fixedExtension: false,
});
