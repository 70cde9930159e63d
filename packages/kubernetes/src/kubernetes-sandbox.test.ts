import { silentLogger } from '@agent-workspace/core';
import { expect, it } from 'vitest';
import { KubernetesSandbox } from './kubernetes-sandbox.ts';

it.each([
  [undefined, '::'],
  ['pod-ip', '::'],
  ['port-forward', '127.0.0.1'],
] as const)('has the gateway listen where %s leads, be it IPv4 or IPv6', (transport, host) => {
  const { gateway } = new KubernetesSandbox({ workspaceId: 'a', logger: silentLogger, transport, gatewayPort: 8080 });
  expect(gateway.listen).toStrictEqual(['--port', '8080', '--host', host]);
});
