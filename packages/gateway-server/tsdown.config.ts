import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsdown';
import { asciiOnly, lateBuiltins, lateModules } from './program-plugins.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';
import manifest from './package.json' with { type: 'json' };

/** Installed for both, whatever this machine is: they are direct dependencies. */
const ripgrep = (manifestUrl: string): string => fileURLToPath(new URL('bin/rg', manifestUrl));

export default defineConfig([
  {
    entry: ['src/index.ts'],
    format: 'esm',
    dts: true,
    platform: 'node',
    fixedExtension: false,
    copy: [
      { from: ripgrep(import.meta.resolve('@vscode/ripgrep-linux-x64/package.json')), to: 'dist/bin/linux-x64' },
      { from: ripgrep(import.meta.resolve('@vscode/ripgrep-linux-arm64/package.json')), to: 'dist/bin/linux-arm64' },
    ],
  },
  // The program for the sandbox: all of it in one file, for the oldest Node that it is to run on. That one
  // takes a file for an ES module only if it is named so, and a program may be copied under any name.
  {
    entry: { gateway: 'src/main.ts' },
    format: 'cjs',
    dts: false,
    platform: 'node',
    target: 'node20.0',
    fixedExtension: false,
    // Node reads all of it at each start. Names stay, for the stacks in logs.
    minify: { compress: true, mangle: false, codegen: true },
    define: { GATEWAY_VERSION: JSON.stringify(manifest.version) },
    deps: { alwaysBundle: [/./], onlyBundle: false, neverBundle: ['@vscode/ripgrep'] },
    outputOptions: { codeSplitting: false },
    plugins: [
      lateBuiltins(['http2']),
      lateModules(),
      asciiOnly(),
      thirdPartyLicenses('THIRD-PARTY-LICENSES.txt', ['node_modules/@vscode/ripgrep-linux-x64']),
    ],
  },
]);
