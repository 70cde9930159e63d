import { posix } from 'node:path';
import type { GatewayInstallation } from '@agent-workspace/gateway-client';

/** A volume of the Pod's own, gone with it, in which the gateway lives: none of it is on the agent's claim. */
export const RUN_DIRECTORY = '/run/agent-workspace';

/** The agent's directory, where the claim is mounted. */
export const WORKDIR = '/workspace';

/** Ours alone. */
export const OWN_DIRECTORY: string = posix.join(RUN_DIRECTORY, 'own');

/** Where an image has our things that `@agent-workspace/docker` has built. */
export const BAKED_DIRECTORY = '/opt/agent-workspace';

const own = (name: string): string => posix.join(OWN_DIRECTORY, name);

/** Links to what the image has or what was put there, made when the container starts. */
export const OWN_NODE: string = own('node');
const OWN_CACHE: string = own('cache');
const OWN_PROGRAM: string = own('gateway.cjs');
const OWN_RIPGREP: string = own('rg');

export const GATEWAY_SOCKET: string = own('gateway.sock');

export const GATEWAY_PATHS: Omit<GatewayInstallation, 'listen'> = {
  node: OWN_NODE,
  bundle: OWN_PROGRAM,
  ripgrep: OWN_RIPGREP,
  compileCache: OWN_CACHE,
  adminSocket: own('admin.sock'),
  pidFile: own('gateway.pid'),
  logFile: own('gateway.log'),
};
