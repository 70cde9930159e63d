import { dirname, posix, relative } from 'node:path';
import { Template, type TemplateBuilder } from 'e2b';
import { BAKED_NODE, BAKED_NPM, BAKED_VENV, gatewayFiles, SANDBOX_LAYOUT } from '../bootstrap/layout.ts';
import { quote } from '../commands/shell-line.ts';

/** What a template is made of. */
export interface WorkspaceTemplateOptions {
  /** Name or id of the template that it begins with. Default `base`. */
  readonly baseTemplate?: string | undefined;
  /** An image that it begins with instead, of a Linux with glibc and apt, apk or curl. */
  readonly fromImage?: string | undefined;
  /** Of the Node that is put in where there is none from 20 on. Default `24`. */
  readonly nodeVersion?: string | undefined;
  /** Python packages, in a virtual environment that is first on the agent's PATH. */
  readonly extraPip?: readonly string[] | undefined;
  /** npm packages, whose commands are on the agent's PATH. */
  readonly extraNpm?: readonly string[] | undefined;
}

const DEFAULT_NODE_VERSION = '24';
const ROOT = { user: 'root' } as const;

/** E2B's sandboxes run on x64. The base's own Node stays the one on the PATH, if it will do. */
function installNode(nodeVersion: string): string {
  const site = `https://nodejs.org/dist/latest-v${nodeVersion}.x`;
  return [
    `node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' 2>/dev/null && exit 0`,
    'set -e',
    'command -v curl >/dev/null || { apt-get update && apt-get install -y --no-install-recommends curl ca-certificates; } || apk add curl',
    `cd "$(mktemp -d)"`,
    `curl -fsSL -o sums ${quote(`${site}/SHASUMS256.txt`)}`,
    `grep -- '-linux-x64.tar.gz$' sums > sum`,
    `archive=$(cut -d ' ' -f 3 sum)`,
    `curl -fsSLO ${quote(`${site}/`)}"$archive"`,
    'sha256sum -c sum',
    `mkdir -p ${BAKED_NODE} && tar -xzf "$archive" --strip-components 1 -C ${BAKED_NODE}`,
    `${BAKED_NODE}/bin/node --version`,
  ].join('\n');
}

/** What is installed belongs to the agent, too, whoever that is. */
function thenOpen(directory: string, commands: readonly string[]): string {
  return [...commands, `chmod -R a+rwX ${directory}`].join(' && ');
}

/** The template of a workspace, as E2B's SDK builds it: what changes seldom comes first. */
export async function workspaceTemplate(options: WorkspaceTemplateOptions): Promise<TemplateBuilder> {
  const { baseTemplate = 'base', fromImage, nodeVersion = DEFAULT_NODE_VERSION } = options;
  const { extraPip = [], extraNpm = [] } = options;
  const { program, ripgrep } = await gatewayFiles();
  const fileContextPath = dirname(program.source);
  const begin = Template({ fileContextPath });
  const base = fromImage === undefined ? begin.fromTemplate(baseTemplate) : begin.fromImage(fromImage);
  base.runCmd(installNode(nodeVersion), ROOT);
  if (extraPip.length > 0) {
    const make = `python3 -m venv --system-site-packages ${BAKED_VENV}`;
    const install = `${BAKED_VENV}/bin/pip install --no-cache-dir ${extraPip.map(quote).join(' ')}`;
    base.runCmd(thenOpen(BAKED_VENV, [make, install]), ROOT);
  }
  if (extraNpm.length > 0) {
    const path = `PATH="$PATH":${BAKED_NODE}/bin`;
    const install = `${path} npm install --global --prefix ${BAKED_NPM} ${extraNpm.map(quote).join(' ')}`;
    base.runCmd(thenOpen(BAKED_NPM, [install]), ROOT);
  }
  for (const { name, source, mode } of [program, ripgrep.x64]) {
    const place = posix.join(SANDBOX_LAYOUT.baked, 'gateway', name);
    base.copy(relative(fileContextPath, source), place, { ...ROOT, mode });
  }
  return base;
}
