import { join } from 'node:path';
import { runCommand } from '../run-command.ts';
import { findCommand, isExecutable } from './search-path.ts';

/** Commands, and the packages of Debian's that they are in. */
const COMMANDS: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  'containerd-shim-runc-v2': 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  openssl: 'openssl',
  tar: 'tar',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  flock: 'util-linux',
};

const PLUGINS_PACKAGE = 'containernetworking-plugins';
/** Where Debian, and where others, put the CNI plugins. */
const PLUGINS_DIRECTORIES: readonly string[] = ['/usr/lib/cni', '/opt/cni/bin'];

const GO_MINIMUM = [1, 24] as const;

/** @throws Error unless this is Linux, and root */
export function requireRoot(): void {
  if (process.platform !== 'linux')
    throw new Error(
      `A cluster runs on Linux alone, and this is ${process.platform}. Give tests another cluster by WORKSPACE_KUBECONFIG.`,
    );
  if (process.getuid?.() !== 0) throw new Error('A cluster needs root: run the command as root.');
}

export interface HostTools {
  readonly pluginsDirectory: string;
}

export interface RequirementOptions {
  /** Whether missing packages of Debian's are installed. */
  readonly install: boolean;
}

/** @throws Error that says what is missing and what to do about it */
export async function requireHost({ install }: RequirementOptions): Promise<HostTools> {
  let missing = await missingPackages();
  if (missing.length > 0 && install) {
    await installPackages(missing);
    missing = await missingPackages();
  }
  const pluginsDirectory = await findPlugins();
  if (missing.length > 0 || pluginsDirectory === undefined)
    throw new Error(
      `Missing here, by the names of Debian's packages: ${missing.join(' ')}. Install them (\`pnpm cluster up --install\` does so on Debian).`,
    );
  return { pluginsDirectory };
}

async function missingPackages(): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const [command, debian] of Object.entries(COMMANDS))
    if ((await findCommand(command)) === undefined) missing.add(debian);
  if ((await findPlugins()) === undefined) missing.add(PLUGINS_PACKAGE);
  return [...missing];
}

async function findPlugins(): Promise<string | undefined> {
  for (const directory of PLUGINS_DIRECTORIES) if (await isExecutable(join(directory, 'bridge'))) return directory;
  return undefined;
}

async function installPackages(packages: readonly string[]): Promise<void> {
  if ((await findCommand('apt-get')) === undefined)
    throw new Error(
      `There is no apt-get here to install ${packages.join(' ')} with. Install them in this system's way.`,
    );
  console.error(`Installing ${packages.join(' ')}`);
  // What is there stays as it is; with this run level no package starts a service.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', NEEDRESTART_SUSPEND: '1' };
  const options = { cwd: '/', env, timeoutMs: 600_000 };
  await runCommand(['apt-get', 'update'], options);
  await runCommand(['apt-get', 'install', '--yes', '--no-install-recommends', '--no-upgrade', ...packages], options);
}

/** Go's command, for a build. @throws Error if there is none, or too old a one */
export async function requireGo(): Promise<string> {
  const go =
    (await findCommand('go')) ?? ((await isExecutable('/usr/local/go/bin/go')) ? '/usr/local/go/bin/go' : undefined);
  const wanted = `Go ${GO_MINIMUM.join('.')} or later (https://go.dev/doc/install)`;
  if (go === undefined)
    throw new Error(`The cluster's programs are built with Go, which is not here. Install ${wanted}.`);
  const { stdout } = await runCommand([go, 'env', 'GOVERSION'], { cwd: '/' });
  if (!isGoRecent(stdout.trim())) throw new Error(`${go} is ${stdout.trim()}, which is too old. Install ${wanted}.`);
  return go;
}

/** @param version such as `go1.26.8` */
export function isGoRecent(version: string): boolean {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  // A build of Go's own sources has no number.
  if (major === undefined || minor === undefined) return true;
  return Number(major) > GO_MINIMUM[0] || (Number(major) === GO_MINIMUM[0] && Number(minor) >= GO_MINIMUM[1]);
}
