import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { E2BTemplateUnsuitableError, PackageInstallFailedError } from '@agent-workspace/core';
import type { SandboxRunResult } from '@agent-workspace/gateway-client';
import { OWN_NPM, OWN_VENV, SANDBOX_LAYOUT } from './layout.ts';

/** As long as a build from sources may take. */
const INSTALL_TIMEOUT_MS = 900_000;

const OUTPUT_CHARACTERS = 4_000;
const NO_INSTALLER = 42;

interface Installer {
  readonly name: string;
  /** What a template may lack of it, and the option that needs it. */
  readonly lack: string;
  readonly place: string;
  /** A line of a shell; `$place` is where to, and `"$@"` what. */
  readonly command: string;
}

const PIP: Installer = {
  name: 'pip',
  lack: 'it has no python3, which extraPip needs',
  place: OWN_VENV,
  command: `
command -v python3 >/dev/null || exit ${NO_INSTALLER}
{ [ -x "$place/bin/pip" ] || python3 -m venv --system-site-packages "$place"; } >"$mark.log" 2>&1 &&
"$place/bin/pip" install --no-cache-dir --disable-pip-version-check "$@" >>"$mark.log" 2>&1`,
};

const NPM: Installer = {
  name: 'npm',
  lack: 'it has no npm, which extraNpm needs',
  place: OWN_NPM,
  command: `
command -v npm >/dev/null || exit ${NO_INSTALLER}
npm install --global --prefix "$place" --no-audit --no-fund "$@" >"$mark.log" 2>&1`,
};

/** All that is printed goes to a file, whose end is told where it fails. */
function script({ command }: Installer): string {
  return `place=$1; mark=$2; shift 2${command} && mv "$mark.log" "$mark" && exit 0
code=$?; tail -c ${OUTPUT_CHARACTERS} "$mark.log" >&2; exit $code`;
}

export interface InstallOptions {
  readonly pip: readonly string[];
  readonly npm: readonly string[];
  /** Files of ours in the sandbox. */
  readonly files: ReadonlySet<string>;
  readonly template: string;
  readonly run: (argv: readonly string[], options: { readonly timeoutMs: number }) => Promise<SandboxRunResult>;
}

/**
 * Installs packages, unless the same list has been installed.
 *
 * @throws `package-install-failed`, `e2b-template-unsuitable`
 */
export async function installPackages({ pip, npm, ...options }: InstallOptions): Promise<void> {
  await install(PIP, pip, options);
  await install(NPM, npm, options);
}

async function install(
  installer: Installer,
  packages: readonly string[],
  { files, template, run }: Omit<InstallOptions, 'pip' | 'npm'>,
): Promise<void> {
  if (packages.length === 0) return;
  const { name, place, lack } = installer;
  const hash = createHash('sha256').update(JSON.stringify(packages.toSorted())).digest('hex').slice(0, 16);
  const mark = posix.join(SANDBOX_LAYOUT.own, `packages-${name}-${hash}`);
  if (files.has(mark)) return;
  const argv = ['sh', '-c', script(installer), 'sh', place, mark, ...packages];
  const { exitCode, stderr } = await run(argv, { timeoutMs: INSTALL_TIMEOUT_MS });
  if (exitCode === 0) return;
  if (exitCode === NO_INSTALLER) throw new E2BTemplateUnsuitableError({ template, reason: lack });
  throw new PackageInstallFailedError({ packages, exitCode, output: stderr.trim() });
}
