import { posix } from 'node:path';
import { E2BRequestFailedError, E2BTemplateUnsuitableError } from '@agent-workspace/core';
import type { GatewayInstallation, SandboxFile, SandboxRunResult } from '@agent-workspace/gateway-client';
import { type Architecture, GATEWAY_PATHS, type GatewayFile, gatewayFiles, SANDBOX_LAYOUT } from './layout.ts';

/** The oldest Node that the gateway runs on. */
const OLDEST_NODE = 20;

/**
 * Makes our directories, ends a gateway of another version where `replaces` says so, and tells what
 * is there, a fact a line.
 */
const LOOK = `
workdir=$1; own=$2; baked=$3; program=$4; pidfile=$5; replaces=$6; shift 6
mkdir -p "$workdir" "$own/gateway" && chmod 700 "$own" || exit 1
if [ "$replaces" = 1 ] && read -r pid 2>/dev/null <"$pidfile" && grep -aqF "/gateway-" "/proc/$pid/cmdline" 2>/dev/null; then
  if ! grep -aqF "$program" "/proc/$pid/cmdline"; then
    kill "$pid"; n=0
    while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do n=$((n + 1)); [ $n -eq 60 ] && kill -KILL "$pid"; sleep 0.05; done
  fi
fi
echo "machine=$(uname -m)"
echo "node=$(command -v node)"
echo "version=$(node --version 2>/dev/null)"
for file in "$baked"/gateway/* "$own"/gateway/*; do [ -f "$file" ] && echo "file=$file"; done
for file in "$own"/packages-*; do [ -f "$file" ] && echo "file=$file"; done
echo "end="
`;

const LOOKS = 4;

const MACHINES: Readonly<Record<string, Architecture>> = { x86_64: 'x64', aarch64: 'arm64', arm64: 'arm64' };

export interface LookOptions {
  readonly run: (argv: readonly string[]) => Promise<SandboxRunResult>;
  readonly template: string;
  readonly workdir: string;
  /** The port that the gateway listens on. */
  readonly port: number;
  /** Names that requests come in under. */
  readonly hosts: readonly string[];
  /** Whether to end a gateway of another version: nobody is attached to it. */
  readonly replaces: boolean;
}

/** What a sandbox has. */
export interface SandboxContents {
  readonly gateway: GatewayInstallation;
  /** Every file of ours that is there. */
  readonly files: ReadonlySet<string>;
  /** What the gateway needs, and is not there. */
  readonly missing: readonly SandboxFile[];
}

/**
 * Looks at what a sandbox has, in one command, and says how the gateway is run in it.
 *
 * @throws `e2b-template-unsuitable`
 */
export async function lookInside(options: LookOptions): Promise<SandboxContents> {
  const { run, template, workdir, port, hosts, replaces } = options;
  const { own, baked } = SANDBOX_LAYOUT;
  const { program, ripgrep } = await gatewayFiles();
  const parameters = [workdir, own, baked, program.name, GATEWAY_PATHS.pidFile, replaces ? '1' : '0'];
  const said = await sayingAll(run, ['sh', '-c', LOOK, 'sh', ...parameters]);
  const facts = said.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string | undefined]);
  const fact = (name: string): string => facts.find(([key]) => key === name)?.[1] ?? '';
  const node = usableNode(template, { path: fact('node'), version: fact('version') });
  const files = new Set(facts.flatMap(([key, value]) => (key === 'file' && value !== undefined ? [value] : [])));
  const architecture = MACHINES[fact('machine')];
  const places = [program, ...(architecture === undefined ? [] : [ripgrep[architecture]])].map((file) =>
    placeOf(file, files),
  );
  const [bundle, search] = places;
  return {
    files,
    missing: places.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
    gateway: {
      node,
      bundle: bundle?.path ?? '',
      ripgrep: search?.path,
      // E2B's proxy comes in by the sandbox's own address, and lets nobody pass without the token.
      listen: ['--port', String(port), '--host', '0.0.0.0'],
      ...GATEWAY_PATHS,
      allowedHosts: hosts,
    },
  };
}

/** What a look prints, whole: of a command whose connection broke something may be missing, and it is run again. */
async function sayingAll(run: LookOptions['run'], argv: readonly string[]): Promise<string> {
  const operation = 'look into the sandbox';
  for (let attempt = 0; attempt < LOOKS; attempt++) {
    const { exitCode, stdout, stderr } = await run(argv);
    if (exitCode !== 0)
      throw new E2BRequestFailedError({ operation, reason: stderr.trim() || `exit code ${exitCode}` });
    if (stdout.startsWith('machine=') && stdout.endsWith('end=\n')) return stdout;
  }
  throw new E2BRequestFailedError({ operation, reason: 'the connection to it breaks again and again' });
}

/** Where a file is, or where it has to be put. */
function placeOf(
  { name, source, mode }: GatewayFile,
  files: ReadonlySet<string>,
): { readonly path: string; readonly missing?: SandboxFile | undefined } {
  const bakedPath = posix.join(SANDBOX_LAYOUT.baked, 'gateway', name);
  if (files.has(bakedPath)) return { path: bakedPath };
  const path = posix.join(SANDBOX_LAYOUT.own, 'gateway', name);
  return files.has(path) ? { path } : { path, missing: { path, source, mode } };
}

function usableNode(template: string, { path, version }: { readonly path: string; readonly version: string }): string {
  const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
  if (major >= OLDEST_NODE) return path;
  const reason = path === '' ? `it has no Node` : `its Node is ${version || 'one that does not run'}`;
  throw new E2BTemplateUnsuitableError({
    template,
    reason: `${reason}, and the gateway needs ${OLDEST_NODE} or later`,
  });
}
