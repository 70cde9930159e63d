import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/docker/index.ts',
    'src/e2b/index.ts',
    'src/kubernetes/index.ts',
    'src/local/index.ts',
    'src/storage/redis/index.ts',
    'src/storage/sqlite/index.ts',
  ],
  format: 'esm',
  dts: true,
  platform: 'node',
  fixedExtension: false,
});
