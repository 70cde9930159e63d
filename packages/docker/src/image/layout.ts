/** Where our things are in an image. */
export const IMAGE_LAYOUT = {
  /** Runs the gateway, whatever `node` the agent finds on its PATH. */
  node: '/opt/agent-workspace/node/bin/node',
  nodeDirectory: '/opt/agent-workspace/node',
  venv: '/opt/agent-workspace/venv',
  npmPrefix: '/opt/agent-workspace/npm',
  gatewayDirectory: '/opt/agent-workspace/gateway',
  /** Filled when the image is built, so that Node has less to do when the gateway is started. */
  compileCache: '/opt/agent-workspace/cache',
  /** The agent's directory, and the default for a mount. */
  workdir: '/workspace',
  home: '/home/agent',
  /** For the gateway's socket; a mount of the host's, where both share a kernel. */
  socketDirectory: '/run/agent-workspace',
  socket: '/run/agent-workspace/gateway.sock',
  /** For the socket that new attachments come in by, which the host needs no way to. */
  adminDirectory: '/var/lib/agent-workspace',
  adminSocket: '/var/lib/agent-workspace/admin.sock',
} as const;

/** Where files of the build context are put, in the context and in the image. */
export const CONTEXT_DIRECTORY = 'gateway';

/** Names in the gateway's directory. */
export const GATEWAY_FILE = 'gateway.cjs';
export const RIPGREP_FILE = 'rg';
