import { E2BWorkspaceManager } from '@agent-workspace/manager/e2b';
import { buildGateway } from './build-gateway.ts';
import type { OpenManager } from './place.ts';

/** Sandboxes of E2B, with their data in them; `E2B_API_KEY` says whose. */
export const openE2B: OpenManager = async ({ sandbox: _sandbox, cluster: _cluster, basedir: _basedir, ...options }) => {
  await buildGateway();
  return await E2BWorkspaceManager.open(options);
};
