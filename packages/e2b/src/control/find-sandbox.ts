import { E2BRequestFailedError, type Logger, WorkspaceLostError } from '@agent-workspace/core';
import type { Sandbox as SdkSandbox, SandboxInfo } from 'e2b';
import type { ControlPlane, CreateRequest } from './control-plane.ts';
import { byCreation, byStart, creationMetadata, identityMetadata, isOf, type SandboxIdentity } from './identity.ts';

export interface FindOptions {
  readonly identity: SandboxIdentity;
  /** What to make where there is none; its metadata come in addition. */
  readonly wanted: CreateRequest;
  /** Make none. */
  readonly mustExist: boolean;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

export interface FoundSandbox {
  readonly sandbox: SdkSandbox;
  readonly how: 'created' | 'started' | 'found';
  /** Milliseconds since the epoch at which it was last given its time. */
  readonly grantedAt: number;
}

/** Every sandbox of a workspace. */
export async function findAll(
  control: ControlPlane,
  identity: SandboxIdentity,
  signal?: AbortSignal,
): Promise<readonly SandboxInfo[]> {
  const metadata = identityMetadata(identity);
  // A server that passes over a filter would hand out the sandboxes of others.
  return (await control.list(metadata, signal)).filter((info) => isOf(info, metadata));
}

/**
 * The sandbox of a workspace, running. It is made only where a whole list says that there is none.
 *
 * @throws `e2b-request-failed`, `workspace-lost`
 */
export async function findOrCreate(control: ControlPlane, options: FindOptions): Promise<FoundSandbox> {
  const { identity, logger, signal, mustExist, wanted } = options;
  const [first, ...others] = (await findAll(control, identity, signal)).toSorted(byCreation);
  if (first === undefined) {
    if (!mustExist) return create(control, options);
    throw new WorkspaceLostError({ workspaceId: identity.workspaceId, reason: 'it has no sandbox' });
  }
  reportOthers(logger, identity, first, others);
  if (first.name !== undefined && first.name !== wanted.template && first.templateId !== wanted.template) {
    const details = { sandboxId: first.sandboxId, template: first.name, asked: wanted.template };
    logger.warn('A sandbox that was made from another template is used as it is, since the data are in it.', details);
  }
  return attach(control, first, options);
}

async function attach(control: ControlPlane, info: SandboxInfo, options: FindOptions): Promise<FoundSandbox> {
  const { sandboxId, state } = info;
  const { identity, wanted } = options;
  const grantedAt = Date.now();
  const sandbox = await control.connect(sandboxId, wanted.timeoutMs);
  if (sandbox !== undefined) return { sandbox, how: state === 'paused' ? 'started' : 'found', grantedAt };
  if ((await control.info(sandboxId)) === undefined) {
    const reason = `its sandbox ${sandboxId} went away while it was opened`;
    throw new WorkspaceLostError({ workspaceId: identity.workspaceId, reason });
  }
  const reason = 'it answers that there is none, although there is; try again';
  throw new E2BRequestFailedError({ operation: `connect to the sandbox ${sandboxId}`, reason, status: 404 });
}

async function create(control: ControlPlane, options: FindOptions): Promise<FoundSandbox> {
  const { identity, wanted, logger } = options;
  const creation = creationMetadata();
  const metadata = { ...wanted.metadata, ...identityMetadata(identity), ...creation };
  const grantedAt = Date.now();
  let sandbox: SdkSandbox;
  try {
    sandbox = await control.create({ ...wanted, metadata });
  } catch (error) {
    return adoptOwn(control, options, creation, error);
  }
  try {
    const made = { sandbox, how: 'created', grantedAt } as const;
    return (await winner(control, options, sandbox.sandboxId)) ?? made;
  } catch (error) {
    await control.kill(sandbox.sandboxId).catch((failure: unknown) => {
      logger.error('Could not kill a sandbox that is not used.', { sandboxId: sandbox.sandboxId, error: failure });
    });
    throw error;
  }
}

/** What the call has made although it failed: a sandbox that nobody else would know of. */
async function adoptOwn(
  control: ControlPlane,
  options: FindOptions,
  creation: Readonly<Record<string, string>>,
  error: unknown,
): Promise<FoundSandbox> {
  const isRefused = E2BRequestFailedError.isInstance(error) && !error.isRetryable;
  if (isRefused || !E2BRequestFailedError.isInstance(error)) throw error;
  const own = (await findAll(control, options.identity)).find((info) => isOf(info, creation));
  if (own === undefined) throw error;
  options.logger.warn('A sandbox was made although its creation failed.', { sandboxId: own.sandboxId, error });
  return { ...(await attach(control, own, options)), how: 'created' };
}

/**
 * Two hosts that look at once both find none. The one whose sandbox E2B started first keeps it, and
 * the other, which this may be, takes that one and kills its own.
 */
async function winner(control: ControlPlane, options: FindOptions, ownId: string): Promise<FoundSandbox | undefined> {
  const { identity, logger, signal } = options;
  const [first, ...others] = (await findAll(control, identity, signal)).toSorted(byStart);
  if (first === undefined || first.sandboxId === ownId) return undefined;
  const found = await attach(control, first, options);
  await control.kill(ownId);
  logger.info('Another host made a sandbox for this workspace a moment earlier, which is used.', {
    sandboxId: first.sandboxId,
  });
  reportOthers(
    logger,
    identity,
    first,
    others.filter(({ sandboxId }) => sandboxId !== ownId),
  );
  return found;
}

function reportOthers(
  logger: Logger,
  { workspaceId }: SandboxIdentity,
  used: SandboxInfo,
  others: readonly SandboxInfo[],
): void {
  if (others.length === 0) return;
  logger.warn('A workspace has more than one sandbox. The oldest is used; the others are left as they are.', {
    workspaceId,
    used: used.sandboxId,
    others: others.map(({ sandboxId, state }) => ({ sandboxId, state })),
  });
}
