import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { Logger } from '@agent-workspace/core';
import type { AttachedHosts } from '../attached/attached-hosts.ts';
import { gatewayRoutes } from '../http/gateway-routes.ts';
import { Guard } from '../http/guard.ts';
import { RouteTable } from '../http/route-table.ts';
import { createRequestListener } from './request-listener.ts';

export interface GatewayListenerOptions {
  readonly hosts: AttachedHosts;
  /** This program's own file, whose hash tells which build is running. */
  readonly bundlePath: string;
  /** Names that a request may be for, beside those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly logger: Logger;
}

export interface GatewayListener {
  /** What this start of it is called. */
  readonly instance: string;
  readonly listener: RequestListener;
  /** Reads the program's file at its first call. */
  readonly bundleHash: () => Promise<string>;
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** The HTTP API, for Node's server. */
export function gatewayListener({ hosts, bundlePath, allowedHosts, logger }: GatewayListenerOptions): GatewayListener {
  const instance = randomUUID();
  let hash: Promise<string> | undefined;
  const bundleHash = (): Promise<string> => (hash ??= hashOf(bundlePath));
  let app: Promise<RequestListener> | undefined;
  const loadApp = async (): Promise<RequestListener> => {
    const { appListener } = await import('./app-listener.ts');
    return appListener({ hosts, instance, bundleHash, allowedHosts, logger });
  };
  const listener = createRequestListener({
    guard: new Guard({ hosts, allowedHosts }),
    routes: new RouteTable(gatewayRoutes({ hosts, instance, bundleHash })),
    app: () => (app ??= loadApp()),
    logger,
  });
  return { instance, listener, bundleHash };
}
