import type { ContainerUser } from '../container/container-user.ts';
import { CONTEXT_DIRECTORY, GATEWAY_FILE, IMAGE_LAYOUT } from './layout.ts';

export interface DockerfileOptions {
  readonly baseImage: string;
  /** Of `node:{nodeVersion}-slim`, for a base without Node 20 or later. */
  readonly nodeVersion: string;
  /** What pip installs, into a virtual environment that is first on the PATH. */
  readonly extraPip: readonly string[];
  /** What npm installs, with its commands on the PATH. */
  readonly extraNpm: readonly string[];
  readonly user: ContainerUser;
}

/** Begins a line of a build's output that says what is wrong with the base image. */
export const PROBLEM_PREFIX = 'agent-workspace: ';
export const NO_PYTHON = 'no-python3';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The image that `node` is copied from. */
export function nodeImage(nodeVersion: string): string {
  return `node:${nodeVersion}-slim`;
}

/**
 * The Dockerfile. What changes seldom comes first, so that a new gateway rebuilds its own layer alone.
 * It is for the engine's first builder, which needs nothing beside the engine.
 */
export function dockerfile(options: DockerfileOptions & { readonly baseHasNode: boolean }): string {
  const { baseImage, nodeVersion, baseHasNode, extraPip, extraNpm, user } = options;
  const { nodeDirectory, node, venv, npmPrefix, gatewayDirectory, workdir, home } = IMAGE_LAYOUT;
  const owner = `${user.uid}:${user.gid}`;
  const path = [
    ...(extraPip.length > 0 ? [`${venv}/bin`] : []),
    ...(extraNpm.length > 0 ? [`${npmPrefix}/bin`] : []),
    `\${PATH:-${DEFAULT_PATH}}`,
    `${nodeDirectory}/bin`,
  ].join(':');
  const lines = [
    ...(baseHasNode ? [] : [`FROM ${nodeImage(nodeVersion)} AS node`]),
    `FROM ${baseImage}`,
    'SHELL ["/bin/sh", "-c"]',
    'USER root',
    ...(baseHasNode ? linkNode() : copyNode(baseImage, nodeVersion)),
    ...addUser(user),
    `ENV HOME=${home} PATH=${path} LANG=\${LANG:-C.UTF-8}`,
    `USER ${owner}`,
    ...(extraPip.length > 0 ? installPip(extraPip) : []),
    ...(extraNpm.length > 0 ? installNpm(extraNpm) : []),
    `COPY ${CONTEXT_DIRECTORY}/ ${gatewayDirectory}/`,
    `RUN ${node} --version && ${warmUp()}`,
    'ENTRYPOINT []',
    'HEALTHCHECK NONE',
    'STOPSIGNAL SIGTERM',
    `WORKDIR ${workdir}`,
    'CMD ["sleep", "infinity"]',
  ];
  return `${lines.join('\n')}\n`;
}

function copyNode(baseImage: string, nodeVersion: string): readonly string[] {
  const { nodeDirectory, node } = IMAGE_LAYOUT;
  const modules = `${nodeDirectory}/lib/node_modules/npm`;
  return [
    `COPY --from=node /usr/local/bin/node ${node}`,
    `COPY --from=node /usr/local/lib/node_modules/npm ${modules}`,
    `RUN ${orProblem(`${node} --version`, `the node of ${nodeImage(nodeVersion)} does not run in ${baseImage}, which may have another C library; take a base with glibc, or one with Node 20 or later`)}`,
    `RUN ln -s ${modules}/bin/npm-cli.js ${nodeDirectory}/bin/npm && ln -s ${modules}/bin/npx-cli.js ${nodeDirectory}/bin/npx`,
  ];
}

/** The gateway finds the base's own node where it would find a copied one. */
function linkNode(): readonly string[] {
  const { nodeDirectory } = IMAGE_LAYOUT;
  const link = `[ -z "$path" ] || ln -s "$path" ${nodeDirectory}/bin/$name`;
  return [
    `RUN mkdir -p ${nodeDirectory}/bin && for name in node npm npx; do path=$(command -v $name || true); ${link}; done`,
  ];
}

/** An entry for the user where the base has none of that id, since programs look their own name up. */
function addUser({ uid, gid }: ContainerUser): readonly string[] {
  const { home, workdir, socketDirectory, adminDirectory, compileCache, venv, npmPrefix } = IMAGE_LAYOUT;
  const own = [home, workdir, socketDirectory, adminDirectory, compileCache, venv, npmPrefix].join(' ');
  const hasEntry = (file: string, id: number): string => `grep -q '^[^:]*:[^:]*:${id}:' ${file}`;
  return [
    `RUN { ${hasEntry('/etc/group', gid)} || echo 'agent:x:${gid}:' >> /etc/group; }` +
      ` && { ${hasEntry('/etc/passwd', uid)} || echo 'agent:x:${uid}:${gid}::${home}:/bin/sh' >> /etc/passwd; }` +
      ` && mkdir -p ${own} && chown ${uid}:${gid} ${own} && chmod 0700 ${socketDirectory} ${adminDirectory}`,
  ];
}

function installPip(packages: readonly string[]): readonly string[] {
  const { venv } = IMAGE_LAYOUT;
  return [
    `RUN ${orProblem('command -v python3', NO_PYTHON)}`,
    // What the base has installed stays in sight.
    `RUN python3 -m venv --system-site-packages ${venv}`,
    `RUN ${venv}/bin/pip install --no-cache-dir --disable-pip-version-check ${packages.map(quote).join(' ')}`,
  ];
}

function installNpm(packages: readonly string[]): readonly string[] {
  const { nodeDirectory, npmPrefix } = IMAGE_LAYOUT;
  const npm = `${nodeDirectory}/bin/npm`;
  const install = `${npm} install --global --prefix ${npmPrefix} --cache /tmp/npm-cache --no-audit --no-fund`;
  return [
    `RUN ${orProblem(`[ -e ${npm} ]`, 'the base image has node and no npm, which extraNpm needs')}`,
    `RUN ${install} ${packages.map(quote).join(' ')} && rm -rf /tmp/npm-cache`,
  ];
}

/** Has Node keep what it makes of the gateway's program. */
function warmUp(): string {
  const { node, gatewayDirectory, compileCache } = IMAGE_LAYOUT;
  const bundle = `${gatewayDirectory}/${GATEWAY_FILE}`;
  return `{ [ ! -e ${bundle} ] || NODE_COMPILE_CACHE=${compileCache} ${node} ${bundle} warm-up; }`;
}

/** Fails with a line that tells the problem. */
function orProblem(command: string, problem: string): string {
  return `${command} || { echo ${quote(PROBLEM_PREFIX + problem)} >&2; exit 1; }`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
