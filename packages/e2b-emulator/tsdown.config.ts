import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TsdownPlugin } from 'tsdown';
import { thirdPartyLicenses } from './third-party-licenses.ts';

const packageDirectory = (name: string): string => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));

const LINUX_PTY = {
  'linux-x64': packageDirectory('@lydell/node-pty-linux-x64'),
  'linux-arm64': packageDirectory('@lydell/node-pty-linux-arm64'),
};

/** inotify and extended attributes, which Node does not offer. */
const LINUX_KOFFI = {
  'linux-x64': packageDirectory('@koromix/koffi-linux-x64'),
  'linux-arm64': packageDirectory('@koromix/koffi-linux-arm64'),
};

/** Its license; the packages of the platforms have none of their own. */
const KOFFI = dirname(fileURLToPath(import.meta.resolve('koffi')));

/** In a sandbox there are no packages: there the terminal's native part lies beside the program. */
const ptyBesideTheProgram: TsdownPlugin = {
  name: 'pty-beside-the-program',
  load(id) {
    if (!id.endsWith('node-pty/requireBinary.js')) return null;
    return `
      const { join } = require('node:path');
      const platform = process.platform + '-' + process.arch;
      exports.requireBinary = (file) =>
        process.platform === 'linux'
          ? require(join(__dirname, 'pty', platform, file))
          : require('@lydell/node-pty-' + platform + '/' + file);
    `;
  },
};

/** A program that runs where none of our packages are: all of it in one file, for the oldest Node it may meet. */
const program = (name: string, source: string, plugins: TsdownPlugin[]) => ({
  entry: { [name]: source },
  format: 'cjs' as const,
  dts: false,
  platform: 'node' as const,
  target: 'node20.0',
  fixedExtension: false,
  minify: 'dce-only' as const,
  deps: { alwaysBundle: [/./], onlyBundle: false as const, neverBundle: [/^@lydell\/node-pty-/] },
  outputOptions: { codeSplitting: false },
  plugins,
});

export default defineConfig([
  {
    entry: ['src/index.ts', 'src/main.ts'],
    format: 'esm',
    dts: true,
    platform: 'node',
    fixedExtension: false,
    copy: [
      ...Object.entries(LINUX_PTY).map(([platform, directory]) => ({
        from: `${directory}/pty.node`,
        to: `dist/pty/${platform}`,
      })),
      ...Object.entries(LINUX_KOFFI).map(([platform, directory]) => ({
        from: `${directory}/${platform.replace('-', '_')}/koffi.node`,
        to: `dist/koffi/${platform}`,
      })),
    ],
  },
  program('envd', 'src/envd/main.ts', [
    ptyBesideTheProgram,
    thirdPartyLicenses('THIRD-PARTY-LICENSES.txt', [...Object.values(LINUX_PTY), KOFFI]),
  ]),
  program('file-attributes', 'src/attributes/main.ts', []),
  program('relay', 'src/relay/main.ts', []),
  program('localhost-names', 'src/names/main.ts', []),
]);
