/** What an image is made from and where: of `mcp` and of `image`. */
export const IMAGE_OPTIONS = {
  'base-image': {
    type: 'string',
    value: 'NAME',
    help: 'docker: what the image is built from; default python:3.12-slim',
  },
  'node-version': { type: 'string', value: 'N', help: 'docker: for a base without Node 20 or later; default 24' },
  pip: { type: 'string', value: 'PACKAGE', multiple: true, help: 'docker: a Python package in the image; repeatable' },
  npm: { type: 'string', value: 'PACKAGE', multiple: true, help: 'docker: an npm package in the image; repeatable' },
  user: { type: 'string', value: 'UID[:GID]', help: 'docker: whom the container runs as; default: this user' },
  'docker-host': {
    type: 'string',
    value: 'URL',
    help: 'docker: where the engine is; default: as for the docker command',
  },
} as const;

/** What `mcp` takes beside those, and beside how a cluster is reached. */
export const MCP_OPTIONS = {
  backend: {
    type: 'string',
    value: 'NAME',
    help: 'where the agent works: local, docker, e2b or\nkubernetes; default local',
  },
  workdir: {
    type: 'string',
    value: 'DIR',
    help: 'its directory; default: the current one. With e2b: of the sandbox,\ndefault /home/user/workspace; with kubernetes always /workspace',
  },
  'mcp-config': {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'MCP servers of the workspace, as clients have them: { "mcpServers": … };\nrepeatable',
  },
  skills: { type: 'string', value: 'DIR', multiple: true, help: 'a skill, or a folder full of skills; repeatable' },
  tools: {
    type: 'string',
    value: 'LIST',
    multiple: true,
    help: 'serve these alone: names with commas between, * for any characters,\nsuch as Read,Grep,files__*',
  },
  'read-only': { type: 'boolean', help: 'serve only tools that change nothing' },
  lazy: { type: 'boolean', help: 'serve three tools that lead to all others' },
  eager: {
    type: 'boolean',
    help: 'start the workspace with the client, not with its first call, and list all\nof its tools at once: for clients that do not follow changes',
  },
  agent: { type: 'string', value: 'ID', help: 'whose skills and servers; default: of the workspace' },
  session: { type: 'string', value: 'ID', help: 'a session to come back to; default: a new one each time' },
  'workspace-id': {
    type: 'string',
    value: 'ID',
    help: 'default: as the directory says; with e2b and kubernetes, of the current\ndirectory',
  },
  env: { type: 'string', value: 'NAME=VALUE', multiple: true, help: 'for every command in the workspace; repeatable' },
  'max-result-bytes': {
    type: 'string',
    value: 'N',
    help: 'of text in a result, before the rest is kept in a file; default 40000',
  },
  http: {
    type: 'string',
    value: 'PORT',
    help: 'serve streamable HTTP at this port, 0 for a free one, instead of stdio',
  },
  host: { type: 'string', value: 'ADDRESS', help: 'http: where to listen; default 127.0.0.1' },
  'allowed-host': {
    type: 'string',
    value: 'NAME',
    multiple: true,
    help: 'http: a name that clients may ask for; repeatable',
  },
  'allowed-origin': {
    type: 'string',
    value: 'ORIGIN',
    multiple: true,
    help: 'http: a web page that may be a client; repeatable',
  },
  'no-token': {
    type: 'boolean',
    help: 'http: let every process of this machine in. Otherwise clients need\n$AGENT_WORKSPACE_TOKEN, or the token that is printed',
  },
  'idle-timeout': {
    type: 'string',
    value: 'TIME',
    help: 'http: when a silent client is taken to be gone; default 30m',
  },
  template: { type: 'string', value: 'NAME', help: 'e2b: what the sandbox is made from; default base' },
  image: {
    type: 'string',
    value: 'NAME',
    help: 'kubernetes: of the Pod, with Node 20 or later in it; default node:24-slim',
  },
  storage: { type: 'string', value: 'SIZE', help: 'kubernetes: of the claim, such as 5Gi; default 1Gi' },
  'storage-class': { type: 'string', value: 'NAME', help: "kubernetes: of the claim; default: the cluster's" },
  'runtime-class': {
    type: 'string',
    value: 'NAME',
    help: "kubernetes: of the Pod, such as gVisor's; default: the cluster's own runtime",
  },
  network: { type: 'string', value: 'NAME', help: 'docker: bridge, none, or the name of one; default bridge' },
  verbose: { type: 'boolean', help: 'say more on stderr' },
} as const;
