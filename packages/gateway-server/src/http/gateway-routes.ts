import { attachmentRoutes } from '../routes/attachments.ts';
import { execRoutes } from '../routes/exec.ts';
import { fileRoutes } from '../routes/files.ts';
import { mcpRoutes } from '../routes/mcps.ts';
import { operationRoutes } from '../routes/operations.ts';
import { processRoutes } from '../routes/processes.ts';
import { treeRoutes } from '../routes/trees.ts';
import type { AttachedHosts } from '../attached/attached-hosts.ts';
import type { GatewayRequest } from './gateway-request.ts';
import type { Reply } from './reply.ts';

/** How a request is answered. What it throws is answered, too. */
export type Handler = (request: GatewayRequest) => Reply | Promise<Reply>;

export interface GatewayRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Of the protocol, `{…}` being a percent-encoded part. */
  readonly route: string;
  readonly handle: Handler;
}

export interface GatewayRouteOptions {
  readonly hosts: AttachedHosts;
  /** Made anew by every start. */
  readonly instance: string;
  /** SHA-256 of the gateway's file, in hex. */
  readonly bundleHash: () => Promise<string>;
}

/** All that there is to ask for. */
export function gatewayRoutes(options: GatewayRouteOptions): readonly GatewayRoute[] {
  return [
    ...operationRoutes(),
    ...fileRoutes(),
    ...treeRoutes(),
    ...execRoutes(),
    ...processRoutes(),
    ...mcpRoutes(),
    ...attachmentRoutes(options),
  ];
}
