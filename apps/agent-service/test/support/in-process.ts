import { silentLogger } from '@agent-workspace/core';
import { TemporaryDirectory } from '@agent-workspace/testing';
import { createApp } from '../../src/app.ts';
import { parseOptions, type ServiceOptions } from '../../src/options.ts';
import { openService, type Service } from '../../src/service.ts';
import { Client } from './client.ts';

export const TOKENS = { alpha: 'token-of-alpha-0123456789', beta: 'token-of-beta-0123456789' } as const;

/** A service in this process, with two tenants, that is asked without a socket. */
export interface TestService extends AsyncDisposable {
  readonly service: Service;
  readonly directory: TemporaryDirectory;
  readonly alpha: Client;
  readonly beta: Client;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function openTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const directory = await TemporaryDirectory.create();
  const tenants =
    options.isSingleTenant === true ? { [TOKENS.alpha]: 'alpha' } : { [TOKENS.alpha]: 'alpha', [TOKENS.beta]: 'beta' };
  const defaults = parseOptions(['--basedir', directory.at('data'), '--port', '0', '--drain', '0'], {
    AGENT_SERVICE_TOKENS: JSON.stringify(tenants),
  });
  const service = await openService({ ...defaults, ...options }, silentLogger);
  const app = await createApp(service);
  const fetch = async (path: string, init?: RequestInit): Promise<Response> =>
    await app.request(new URL(path, 'http://127.0.0.1').href, init);
  return {
    service,
    directory,
    alpha: new Client(fetch, TOKENS.alpha),
    beta: new Client(fetch, TOKENS.beta),
    fetch,
    [Symbol.asyncDispose]: async () => {
      await service.drain();
      await service[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
