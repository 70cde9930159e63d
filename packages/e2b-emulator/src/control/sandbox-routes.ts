import type { Sandbox } from '../sandboxes/sandbox.ts';
import { SandboxStateError } from '../sandboxes/sandbox-error.ts';
import type { SandboxRegistry } from '../sandboxes/sandbox-registry.ts';
import type { Templates } from '../sandboxes/templates.ts';
import { ApiError, sandboxNotFound } from './api-error.ts';
import { type CreateDefaults, toSpec, withinLongest } from './create-spec.ts';
import { listSandboxes } from './list-sandboxes.ts';
import type { ApiAnswer, ApiRequest, Route } from './route.ts';
import { toDetail, toSandbox } from './sandbox-json.ts';
import * as schemas from './schemas.ts';

export interface SandboxRoutesOptions {
  readonly sandboxes: SandboxRegistry;
  readonly templates: Templates;
  /** Of the hosts that lead to the sandboxes. */
  readonly domain: () => string;
}

/** The SDK up to 2.50 says what it wants; from 2.51 on it leaves the defaults to this side. */
const V1: CreateDefaults = { timeoutSeconds: 15, isSecure: false };
const V2: CreateDefaults = { timeoutSeconds: 300, isSecure: true };
const RESUME_SECONDS = 15;
const REFRESH_SECONDS = 15;

/** The routes of the sandboxes. */
export function createSandboxRoutes({ sandboxes, templates, domain }: SandboxRoutesOptions): readonly Route[] {
  const find = ({ params }: ApiRequest): Sandbox => {
    const id = params['sandboxID'] ?? '';
    const sandbox = sandboxes.find(id);
    if (sandbox === undefined) throw sandboxNotFound(id);
    return sandbox;
  };

  const create = async (request: ApiRequest, defaults: CreateDefaults): Promise<ApiAnswer> => {
    const spec = toSpec(await request.body(schemas.createBody), templates, defaults);
    return { status: 201, body: toSandbox(await sandboxes.create(spec), domain()) };
  };

  const connect = async (sandbox: Sandbox, seconds: number, memory: boolean | undefined): Promise<ApiAnswer> => {
    const timeoutMs = withinLongest(seconds);
    const state = await sandbox.settled();
    if (state === 'killed') throw sandboxNotFound(sandbox.sandboxId);
    if (state === 'paused') await sandbox.resume({ timeoutMs, reboots: memory === false });
    else sandbox.extendTimeout(timeoutMs);
    return { status: state === 'paused' ? 201 : 200, body: toSandbox(sandbox, domain()) };
  };

  return [
    { name: 'create', method: 'POST', path: '/sandboxes', handle: (request) => create(request, V1) },
    { name: 'create', method: 'POST', path: '/v2/sandboxes', handle: (request) => create(request, V2) },
    {
      name: 'list',
      method: 'GET',
      path: '/v2/sandboxes',
      handle: ({ query }) => listSandboxes(sandboxes.all, templates, query),
    },
    {
      name: 'list',
      method: 'GET',
      path: '/sandboxes',
      handle: ({ query }) => {
        const running = new URLSearchParams(query);
        running.set('state', 'running');
        return listSandboxes(sandboxes.all, templates, running);
      },
    },
    {
      name: 'connect',
      method: 'POST',
      path: '/sandboxes/:sandboxID/connect',
      handle: async (request) => {
        const { timeout, memory } = await request.body(schemas.connectBody);
        return connect(find(request), timeout, memory);
      },
    },
    {
      name: 'connect',
      method: 'POST',
      path: '/v2/sandboxes/:sandboxID/connect',
      handle: async (request) => {
        const { timeout = V2.timeoutSeconds, memory } = await request.body(schemas.connectBodyV2);
        return connect(find(request), timeout, memory);
      },
    },
    {
      name: 'get',
      method: 'GET',
      path: '/sandboxes/:sandboxID',
      handle: (request) => ({ status: 200, body: toDetail(find(request), domain()) }),
    },
    {
      name: 'kill',
      method: 'DELETE',
      path: '/sandboxes/:sandboxID',
      handle: async (request) => {
        await sandboxes.kill(find(request));
        return { status: 204 };
      },
    },
    {
      name: 'timeout',
      method: 'POST',
      path: '/sandboxes/:sandboxID/timeout',
      handle: async (request) => {
        const { timeout } = await request.body(schemas.timeoutBody);
        const sandbox = find(request);
        // To the real one, a paused sandbox is none that has a time.
        if (sandbox.publicState !== 'running') throw sandboxNotFound(sandbox.sandboxId);
        sandbox.setTimeout(withinLongest(timeout));
        return { status: 204 };
      },
    },
    {
      name: 'refresh',
      method: 'POST',
      path: '/sandboxes/:sandboxID/refreshes',
      handle: async (request) => {
        const { duration = REFRESH_SECONDS } = await request.body(schemas.refreshBody);
        const sandbox = find(request);
        if (sandbox.publicState !== 'running') throw sandboxNotFound(sandbox.sandboxId);
        sandbox.extendTimeout(withinLongest(duration));
        return { status: 204 };
      },
    },
    {
      name: 'pause',
      method: 'POST',
      path: '/sandboxes/:sandboxID/pause',
      handle: async (request) => {
        const { memory = true } = await request.body(schemas.pauseBody);
        await find(request).pause({ keepsMemory: memory });
        return { status: 204 };
      },
    },
    {
      name: 'resume',
      method: 'POST',
      path: '/sandboxes/:sandboxID/resume',
      handle: async (request) => {
        const { timeout = RESUME_SECONDS, memory } = await request.body(schemas.connectBodyV2);
        const sandbox = find(request);
        await sandbox.settled();
        await sandbox.resume({ timeoutMs: withinLongest(timeout), reboots: memory === false });
        return { status: 201, body: toSandbox(sandbox, domain()) };
      },
    },
    {
      name: 'metrics',
      method: 'GET',
      path: '/sandboxes/:sandboxID/metrics',
      handle: async (request) => {
        const start = readSeconds(request.query, 'start') ?? -Infinity;
        const end = readSeconds(request.query, 'end') ?? Infinity;
        const metrics = await find(request).metrics();
        return { status: 200, body: metrics.filter(({ timestampUnix: at }) => at >= start && at <= end) };
      },
    },
    {
      name: 'network',
      method: 'PUT',
      path: '/sandboxes/:sandboxID/network',
      handle: async (request) => {
        const { allow_internet_access: allowInternetAccess, ...egress } = await request.body(schemas.networkBody);
        const sandbox = find(request);
        if (sandbox.publicState !== 'running') throw new SandboxStateError(sandbox.sandboxId, 'paused');
        // What is not named is cleared.
        const cleared = { allowOut: undefined, denyOut: undefined, rules: undefined, egressProxy: undefined };
        await sandbox.updateNetwork({ ...cleared, ...egress }, allowInternetAccess);
        return { status: 204 };
      },
    },
    {
      name: 'templates',
      method: 'GET',
      path: '/templates/aliases/:alias',
      handle: ({ params: { alias = '' } }) => {
        const lookup = templates.find(alias);
        if (lookup.kind !== 'found') throw new ApiError(404, `template '${alias}' not found`);
        return { status: 200, body: { templateID: lookup.template.templateId, public: true } };
      },
    },
  ];
}

function readSeconds(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const seconds = Number(text);
  if (!Number.isInteger(seconds)) throw new ApiError(400, `Invalid ${name} '${text}'`);
  return seconds;
}
