import { describe, expect, it } from 'vitest';
import { sandboxRoute } from './sandbox-route.ts';

const sandbox = {
  sandboxId: 'i1',
  trafficAccessToken: 'secret',
  getHost: (port: number): string => `${port}-i1.e2b.app`,
};

describe('the way to the gateway', () => {
  it("is the sandbox's own name, over TLS", () => {
    expect(sandboxRoute(sandbox, { port: 8765, sandboxUrl: undefined })).toMatchObject({
      address: { protocol: 'https:', hostname: '8765-i1.e2b.app', port: 443 },
      host: '8765-i1.e2b.app',
      headers: { 'e2b-traffic-access-token': 'secret' },
    });
  });

  it('keeps the port of a domain that has one', () => {
    const local = { ...sandbox, getHost: (port: number): string => `${port}-i1.e2b.localhost:4000` };
    expect(sandboxRoute(local, { port: 8765, sandboxUrl: undefined }).address).toStrictEqual({
      protocol: 'https:',
      hostname: '8765-i1.e2b.localhost',
      port: 4000,
    });
  });

  it('goes by headers where one URL stands for all sandboxes', () => {
    const { trafficAccessToken: _token, ...open } = sandbox;
    expect(sandboxRoute(open, { port: 8765, sandboxUrl: 'http://[::1]:3000' })).toMatchObject({
      address: { protocol: 'http:', hostname: '::1', port: 3000 },
      host: '[::1]:3000',
      headers: { 'e2b-sandbox-id': 'i1', 'e2b-sandbox-port': '8765' },
    });
    expect(sandboxRoute(open, { port: 8765, sandboxUrl: 'https://sandbox.example' }).address.port).toBe(443);
  });
});
