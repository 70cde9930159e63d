import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlPlane } from '../src/control/control-plane.ts';
import { findOrCreate, type FoundSandbox } from '../src/control/find-sandbox.ts';
import { METADATA_KEYS } from '../src/control/identity.ts';
import type { E2BConnectionOptions } from '../src/e2b-options.ts';
import { E2BSandbox } from '../src/e2b-sandbox.ts';
import { ControlStub, type StubAnswer } from './support/control-stub.ts';
import { type LogEntry, recordLog } from './support/record-log.ts';

const CREATE = 'POST /v2/sandboxes';
const LIST = 'GET /v2/sandboxes';
const CONNECT = 'POST /v2/sandboxes/{id}/connect';
const BUSY: StubAnswer = { status: 503, body: { code: 503, message: 'busy' } };

const identity = { managerId: 'm', workspaceId: 'a workspace & more' };
const metadata = { [METADATA_KEYS.manager]: 'm', [METADATA_KEYS.workspace]: 'a workspace & more' };

describe('the control plane', () => {
  let stub: ControlStub;
  let entries: readonly LogEntry[];

  beforeEach(async () => {
    stub = await ControlStub.start();
    entries = [];
  });

  afterEach(() => stub[Symbol.asyncDispose]());

  function plane(options: E2BConnectionOptions = {}): ControlPlane {
    return new ControlPlane({ apiKey: 'k', apiUrl: stub.url, requestTimeoutMs: 5_000, ...options });
  }

  function find(options: { readonly mustExist?: boolean; readonly template?: string } = {}): Promise<FoundSandbox> {
    const log = recordLog();
    entries = log.entries;
    return findOrCreate(plane(), {
      identity,
      wanted: { template: options.template ?? 'base', timeoutMs: 300_000, metadata: { team: 'x' } },
      mustExist: options.mustExist ?? false,
      signal: new AbortController().signal,
      logger: log.logger,
    });
  }

  /** As an answer of a server that is asked for this route for the first `count` times. */
  function fail(route: string, count: number, answer: StubAnswer | 'drop'): void {
    let left = count;
    stub.answer = (request) => (request.route === route && left-- > 0 ? answer : undefined);
  }

  it('makes a sandbox that is paused at its end, wakes on traffic, and is closed to the public [E12]', async () => {
    const { how, sandbox } = await find();
    expect({ how, id: sandbox.sandboxId }).toStrictEqual({ how: 'created', id: 'i1' });
    const { body } = stub.requests.find(({ route }) => route === CREATE) ?? {};
    expect(body).toStrictEqual({
      templateID: 'base',
      timeout: 300,
      metadata: {
        team: 'x',
        ...metadata,
        [METADATA_KEYS.creation]: expect.stringMatching(/^[0-9a-f-]{36}$/),
        [METADATA_KEYS.createdAt]: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      network: { allowPublicTraffic: false },
      autoPause: true,
      autoResume: { enabled: true },
    });
  });

  it('finds it on the last page, also where a server passes over the filter', async () => {
    for (let index = 0; index < 5; index++) stub.add({ metadata: { ...metadata, [METADATA_KEYS.manager]: 'other' } });
    const own = stub.add({ metadata, state: 'paused' });
    stub.filters = false;
    const { how, sandbox } = await find();
    expect({ how, id: sandbox.sandboxId }).toStrictEqual({ how: 'started', id: own.sandboxID });
    expect(stub.routes).toStrictEqual([LIST, LIST, LIST, CONNECT]);
  });

  it('makes no second one where the list fails, on whichever page', async () => {
    for (let index = 0; index < 4; index++) stub.add({ metadata });
    stub.answer = ({ route, query }) =>
      route === LIST && query.get('nextToken') === '2'
        ? { status: 500, body: { code: 500, message: 'boom' } }
        : undefined;
    await expect(find()).rejects.toMatchObject({
      code: 'e2b-request-failed',
      details: { operation: 'list the sandboxes', status: 500, reason: '500: boom' },
    });
    expect(stub.routes).not.toContain(CREATE);
  });

  it('takes a wrong 404 for no absence [E13]', async () => {
    const { sandboxID } = stub.add({ metadata, state: 'paused' });
    fail(CONNECT, 1, { status: 404, body: { code: 404, message: 'not found' } });
    await expect(find()).rejects.toMatchObject({
      code: 'e2b-request-failed',
      isRetryable: false,
      details: { operation: `connect to the sandbox ${sandboxID}`, status: 404 },
    });
    expect(stub.routes).not.toContain(CREATE);
    const { how } = await find();
    expect(how).toBe('started');
  });

  it('reports one that goes away while it is opened, and makes no other', async () => {
    stub.add({ metadata });
    stub.answer = ({ route }) => {
      if (route === CONNECT) stub.sandboxes.length = 0;
      return undefined;
    };
    await expect(find()).rejects.toMatchObject({ code: 'workspace-lost' });
    expect(stub.routes).not.toContain(CREATE);
  });

  it('makes none where it has to be there', async () => {
    await expect(find({ mustExist: true })).rejects.toMatchObject({
      code: 'workspace-lost',
      details: { workspaceId: identity.workspaceId, reason: 'it has no sandbox' },
    });
    expect(stub.routes).not.toContain(CREATE);
  });

  it('takes the oldest of several by their creation, and leaves and reports the others', async () => {
    const at = (createdAt: string, startedAt: string): string =>
      stub.add({ metadata: { ...metadata, [METADATA_KEYS.createdAt]: createdAt }, startedAt }).sandboxID;
    at('2026-03-03T00:00:00.000Z', '2026-03-03T00:00:00.000Z');
    // Resumed later, which starts its time anew.
    const oldest = at('2026-03-01T00:00:00.000Z', '2026-03-09T00:00:00.000Z');
    at('2026-03-02T00:00:00.000Z', '2026-03-02T00:00:00.000Z');
    const { sandbox } = await find();
    expect(sandbox.sandboxId).toBe(oldest);
    expect(stub.sandboxes).toHaveLength(3);
    expect(entries).toStrictEqual([
      {
        level: 'warn',
        message: 'A workspace has more than one sandbox. The oldest is used; the others are left as they are.',
        details: {
          workspaceId: identity.workspaceId,
          used: 'i2',
          others: [
            { sandboxId: 'i3', state: 'running' },
            { sandboxId: 'i1', state: 'running' },
          ],
        },
      },
    ]);
  });

  it('gives way to a host that was a moment earlier, and kills what it made itself', async () => {
    stub.answer = ({ route }) => {
      if (route === CREATE) stub.add({ metadata, startedAt: '2026-01-01T00:00:00.000Z' });
      return undefined;
    };
    const { how, sandbox } = await find();
    expect({ how, id: sandbox.sandboxId }).toStrictEqual({ how: 'found', id: 'i1' });
    expect(stub.sandboxes.map(({ sandboxID }) => sandboxID)).toStrictEqual(['i1']);
  });

  it('has two hosts that look at once end up in one sandbox', async () => {
    const both = await Promise.all([find(), find()]);
    expect(new Set(both.map(({ sandbox }) => sandbox.sandboxId)).size).toBe(1);
    expect(stub.sandboxes).toHaveLength(1);
  });

  it('finds what a call has made although it failed', async () => {
    stub.answer = ({ route, body }) => {
      if (route !== CREATE) return undefined;
      stub.add({ metadata: body['metadata'] as Record<string, string> });
      return { status: 502, body: { code: 502, message: 'gone' } };
    };
    const { how, sandbox } = await find();
    expect({ how, id: sandbox.sandboxId }).toStrictEqual({ how: 'created', id: 'i1' });
    expect(stub.routes.filter((route) => route === CREATE)).toHaveLength(1);
  });

  it('keeps a sandbox whose template is another one now [E26]', async () => {
    stub.add({ metadata, templateID: 't0', alias: 'before', state: 'paused' });
    const { how, sandbox } = await find({ template: 'after' });
    expect({ how, id: sandbox.sandboxId }).toStrictEqual({ how: 'started', id: 'i1' });
    expect(stub.routes).toStrictEqual([LIST, CONNECT]);
    expect(entries.map(({ message }) => message)).toStrictEqual([
      'A sandbox that was made from another template is used as it is, since the data are in it.',
    ]);
  });

  it('waits out a 429, with a Retry-After and without', async () => {
    fail(LIST, 1, { status: 429, headers: { 'retry-after': '1' }, body: { code: 429, message: 'slow down' } });
    const begin = performance.now();
    await find();
    expect(performance.now() - begin).toBeGreaterThan(950);
    fail(CREATE, 2, { status: 429, body: { code: 429, message: 'slow down' } });
    stub.sandboxes.length = 0;
    expect((await find()).how).toBe('created');
  });

  it('asks again for what is the same done twice, after a 503', async () => {
    stub.add({ metadata });
    fail(CONNECT, 2, BUSY);
    await find();
    expect(stub.routes.filter((route) => route === CONNECT)).toHaveLength(3);
  });

  it('asks again for what is the same done twice, where a connection is dropped, and never makes two', async () => {
    stub.add({ metadata });
    fail(CONNECT, 2, 'drop');
    await find();
    expect(stub.routes.filter((route) => route === CONNECT)).toHaveLength(3);
    stub.sandboxes.length = 0;
    fail(CREATE, 1, 'drop');
    await expect(find()).rejects.toMatchObject({ code: 'e2b-request-failed', isRetryable: true });
    expect(stub.routes.filter((route) => route === CREATE)).toHaveLength(1);
  });

  it('gives up on a 429 that does not pass, with a typed error', async () => {
    stub.answer = () => ({ status: 429, body: { code: 429, message: 'slow down' } });
    await expect(plane({ requestTimeoutMs: 1_000 }).list({})).rejects.toMatchObject({
      code: 'e2b-request-failed',
      isRetryable: true,
      details: { status: 429 },
    });
  });

  it('tells the time for a request from the life of a sandbox [E07]', async () => {
    const hasty = plane({ requestTimeoutMs: 300 });
    const sandbox = await hasty.create({ template: 'base', timeoutMs: 60_000, metadata });
    expect(stub.requests.at(-1)?.body['timeout']).toBe(60);
    stub.answer = () => 'none';
    const begin = performance.now();
    await expect(hasty.info(sandbox.sandboxId)).rejects.toMatchObject({
      code: 'e2b-request-failed',
      isRetryable: true,
    });
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it("says in E2B's words that a life is longer than the plan allows [E08]", async () => {
    const message = 'Timeout cannot be greater than 1 hours';
    fail(CREATE, 1, { status: 400, body: { code: 400, message } });
    await expect(find()).rejects.toMatchObject({
      code: 'e2b-request-failed',
      isRetryable: false,
      details: { operation: 'make a sandbox of the template base', status: 400, reason: `400: ${message}` },
    });
    expect(stub.routes).toStrictEqual([LIST, CREATE]);
  });

  it('reports a kill that failed, and takes a missing sandbox for killed [E22] [E23]', async () => {
    const { sandboxID } = stub.add({ metadata });
    fail('DELETE /sandboxes/{id}', 1, { status: 500, body: { code: 500, message: 'boom' } });
    await expect(plane().kill(sandboxID)).rejects.toMatchObject({
      code: 'e2b-request-failed',
      details: { operation: `kill the sandbox ${sandboxID}`, status: 500 },
    });
    expect(await plane().kill(sandboxID)).toBe(true);
    expect(await plane().kill(sandboxID)).toBe(false);
  });

  it('keeps destroy() to what the workspace has, and tells what failed [E23]', async () => {
    const other = stub.add({ metadata: { ...metadata, [METADATA_KEYS.workspace]: 'other' } });
    stub.add({ metadata });
    stub.add({ metadata });
    const { logger } = recordLog();
    const options = { apiKey: 'k', apiUrl: stub.url, ...identity, logger, isInUse: () => false };
    fail('DELETE /sandboxes/{id}', 1, { status: 500, body: { code: 500, message: 'boom' } });
    await expect(new E2BSandbox(options).destroyAll()).rejects.toMatchObject({ code: 'e2b-request-failed' });
    await new E2BSandbox(options).destroyAll();
    expect(stub.sandboxes).toStrictEqual([other]);
  });

  it('uses a known range of SDK versions, and says where a server is too old for them [E27]', async () => {
    const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    expect((JSON.parse(text) as { dependencies: Record<string, string> }).dependencies['e2b']).toMatch(
      /^~\d+\.\d+\.\d+$/,
    );
    for (const status of [404, 405]) {
      fail(CREATE, 1, { status, body: '404 page not found' });
      await expect(find()).rejects.toMatchObject({
        code: 'e2b-request-failed',
        details: { status, reason: expect.stringContaining('older than the e2b SDK') },
      });
    }
    fail(CREATE, 1, { status: 404, body: { code: 404, message: "template 'base' not found" } });
    await expect(find()).rejects.toMatchObject({ details: { reason: "404: template 'base' not found" } });
  });

  it('names the variable where there is no key', async () => {
    const before = process.env['E2B_API_KEY'];
    delete process.env['E2B_API_KEY'];
    try {
      await expect(new ControlPlane({ apiUrl: stub.url }).list({})).rejects.toMatchObject({
        code: 'e2b-options-invalid',
        details: { option: 'apiKey', reason: expect.stringContaining('E2B_API_KEY') },
      });
    } finally {
      if (before !== undefined) process.env['E2B_API_KEY'] = before;
    }
  });
});
