import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_KEYS } from '../src/control/identity.ts';
import { listManagedSandboxes, type ManagedSandboxesOptions, pauseManagedSandbox } from '../src/index.ts';
import { ControlStub, type StubSandbox } from './support/control-stub.ts';

const PAUSE = 'POST /sandboxes/{id}/pause';
const MADE = '2026-03-01T00:00:00.000Z';

describe('the sandboxes of a manager', () => {
  let stub: ControlStub;
  let options: ManagedSandboxesOptions;

  beforeEach(async () => {
    stub = await ControlStub.start();
    options = { apiKey: 'k', apiUrl: stub.url, requestTimeoutMs: 5_000, managerId: 'm' };
  });

  afterEach(() => stub[Symbol.asyncDispose]());

  function add(workspaceId: string, sandbox: Partial<StubSandbox> = {}, managerId = 'm'): StubSandbox {
    const metadata = {
      [METADATA_KEYS.manager]: managerId,
      [METADATA_KEYS.workspace]: workspaceId,
      [METADATA_KEYS.createdAt]: MADE,
      ...sandbox.metadata,
    };
    return stub.add({ ...sandbox, metadata });
  }

  it('are listed whole, running and paused, and none of another, also where a server passes over the filter', async () => {
    stub.filters = false;
    add('w1');
    add('w2', { state: 'paused', startedAt: '2026-04-01T00:00:00.000Z' });
    add('of another', {}, 'other');
    stub.add({ metadata: {} });
    add('w 3 & more');
    const listed = { createdAt: Date.parse(MADE), isPersistent: true };
    expect(await listManagedSandboxes(options)).toStrictEqual([
      { workspaceId: 'w1', ...listed, isRunning: true },
      { workspaceId: 'w2', ...listed, isRunning: false },
      { workspaceId: 'w 3 & more', ...listed, isRunning: true },
    ]);
    expect(stub.requests[0]?.query.getAll('state').flatMap((states) => states.split(','))).toStrictEqual([
      'running',
      'paused',
    ]);
  });

  it('are as young as the youngest of a workspace, whose creation may be known by its start alone', async () => {
    const startedAt = '2026-03-05T00:00:00.000Z';
    add('w', { state: 'paused' });
    add('w', { startedAt, metadata: { [METADATA_KEYS.createdAt]: 'some day' } });
    expect(await listManagedSandboxes(options)).toStrictEqual([
      { workspaceId: 'w', createdAt: Date.parse(startedAt), isPersistent: true, isRunning: true },
    ]);
  });

  it('are never told as none where the list fails, on whichever page', async () => {
    for (const workspaceId of ['w1', 'w2', 'w3']) add(workspaceId);
    stub.answer = ({ query }) =>
      query.has('nextToken') ? { status: 500, body: { code: 500, message: 'boom' } } : undefined;
    const failed = { code: 'e2b-request-failed', details: { operation: 'list the sandboxes', status: 500 } };
    await expect(listManagedSandboxes(options)).rejects.toMatchObject(failed);
  });

  it('are paused by their workspace, with no word where there is none', async () => {
    const [own, again, other] = [add('w'), add('w', { state: 'paused' }), add('other')];
    await pauseManagedSandbox({ ...options, workspaceId: 'w' });
    expect([own.state, again.state, other.state]).toStrictEqual(['paused', 'paused', 'running']);
    await pauseManagedSandbox({ ...options, workspaceId: 'w' });
    await pauseManagedSandbox({ ...options, workspaceId: 'never there' });
    expect(stub.routes.filter((route) => route === PAUSE)).toHaveLength(1);
  });
});
