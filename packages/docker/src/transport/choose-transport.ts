import { unreachable } from '@agent-workspace/gateway-client';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import { IMAGE_LAYOUT } from '../image/layout.ts';
import { ExecTransport } from './exec-transport.ts';
import { FallbackTransport } from './fallback-transport.ts';
import { PortTransport } from './port-transport.ts';
import { SocketTransport } from './socket-transport.ts';
import type { Transport, TransportKind } from './transport.ts';

export interface ChooseTransportOptions {
  readonly engine: DockerEngine;
  readonly container: EngineContainer;
  /** Default: the best that leads there. */
  readonly asked: TransportKind | undefined;
  readonly uid: number;
  readonly gatewayPort: number;
}

/** The directory of this host in which a container has the gateway's socket, if it was given one. */
export function mountedSocketDirectory({ mounts }: EngineContainer): string | undefined {
  return mounts.find(({ destination }) => destination === IMAGE_LAYOUT.socketDirectory)?.source;
}

/** How the gateway in a container is reached. @throws `gateway-unreachable` for a socket where there can be none */
export function chooseTransport({ engine, container, asked, uid, gatewayPort }: ChooseTransportOptions): Transport {
  const containerId = container.id;
  const directory = mountedSocketDirectory(container);
  const socket = directory === undefined ? undefined : new SocketTransport({ directory, uid });
  switch (asked) {
    case 'port':
      return new PortTransport({ engine, containerId, port: gatewayPort });
    case 'exec':
      return new ExecTransport({ engine, containerId });
    case 'socket':
      if (socket === undefined) throw unreachable('no directory for its socket could be shared with the container');
      return socket;
    case undefined: {
      const exec = new ExecTransport({ engine, containerId });
      return socket === undefined || !engine.sharesKernel ? exec : new FallbackTransport([socket, exec]);
    }
  }
}
