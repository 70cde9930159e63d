import type { Sandbox } from '../sandboxes/sandbox.ts';

/** Whose sandboxes these are: a constant at E2B, too. */
const CLIENT_ID = '6532622b';

const DEFAULT_CPU_COUNT = 2;
const DEFAULT_MEMORY_MB = 512;
const DEFAULT_DISK_SIZE_MB = 10_240;

/** What `create` and `connect` answer. */
export function toSandbox(sandbox: Sandbox, domain: string): object {
  return {
    ...toIdentity(sandbox),
    envdAccessToken: sandbox.envdAccessToken,
    trafficAccessToken: sandbox.trafficAccessToken,
    domain,
  };
}

/** What lists tell of each. */
export function toListed(sandbox: Sandbox): object {
  const { metadata, template } = sandbox.spec;
  return {
    ...toIdentity(sandbox),
    startedAt: sandbox.startedAt.toISOString(),
    endAt: sandbox.endAt.toISOString(),
    state: sandbox.publicState,
    cpuCount: template.options.cpuCount ?? DEFAULT_CPU_COUNT,
    memoryMB: template.options.memoryMB ?? DEFAULT_MEMORY_MB,
    diskSizeMB: template.options.diskSizeMB ?? DEFAULT_DISK_SIZE_MB,
    metadata,
    volumeMounts: [],
  };
}

/** All of it. */
export function toDetail(sandbox: Sandbox, domain: string): object {
  const { onTimeout, autoResume } = sandbox.spec;
  return {
    ...toListed(sandbox),
    envdAccessToken: sandbox.envdAccessToken,
    domain,
    allowInternetAccess: sandbox.allowInternetAccess,
    network: sandbox.network,
    lifecycle: { onTimeout, autoResume },
  };
}

function toIdentity({ sandboxId, spec, envdVersion }: Sandbox): object {
  return {
    sandboxID: sandboxId,
    templateID: spec.template.templateId,
    alias: spec.template.name,
    clientID: CLIENT_ID,
    envdVersion,
  };
}
