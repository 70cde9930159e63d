import type { GatewayRoute } from '@agent-workspace/gateway-client';
import type { Sandbox as SdkSandbox } from 'e2b';
import { explainAnswer } from './explain-answer.ts';

export interface SandboxAddress {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
}

/** The way to a port of a sandbox, through E2B's proxy. */
export interface SandboxRoute extends GatewayRoute {
  readonly address: SandboxAddress;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * By the sandbox's own name; or, where one URL stands for all sandboxes, by headers that say which.
 *
 * @param sandboxUrl that one URL
 */
export function sandboxRoute(
  sandbox: Pick<SdkSandbox, 'sandboxId' | 'trafficAccessToken' | 'getHost'>,
  { port, sandboxUrl }: { readonly port: number; readonly sandboxUrl: string | undefined },
): SandboxRoute {
  const { sandboxId, trafficAccessToken } = sandbox;
  const url = new URL(sandboxUrl ?? `https://${sandbox.getHost(port)}`);
  const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
  return {
    address: {
      protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    },
    host: url.host,
    headers: {
      ...(trafficAccessToken !== undefined && { 'e2b-traffic-access-token': trafficAccessToken }),
      ...(sandboxUrl !== undefined && { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': String(port) }),
    },
    explain: explainAnswer,
  };
}
