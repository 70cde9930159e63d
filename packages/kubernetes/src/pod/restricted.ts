import type { V1Capabilities, V1Container, V1PodSpec, V1Volume } from '@kubernetes/client-node';

/** What a volume may be. */
const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

const SECCOMP: ReadonlySet<string | undefined> = new Set(['RuntimeDefault', 'Localhost']);

/**
 * In what a Pod does not keep to the `restricted` standard, and to ours: no service account's token in it.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export function restrictedViolations(spec: V1PodSpec): readonly string[] {
  const { securityContext: pod = {} } = spec;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [
    ...(spec.automountServiceAccountToken === false ? [] : ['automountServiceAccountToken']),
    ...(['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true),
    ...(pod.runAsUser === 0 ? ['securityContext.runAsUser'] : []),
    ...(pod.windowsOptions?.hostProcess === true ? ['securityContext.windowsOptions'] : []),
    ...(pod.sysctls ?? []).filter(({ name }) => !SYSCTLS.has(name)).map(({ name }) => `sysctl ${name}`),
    ...(spec.volumes ?? []).filter((volume) => !isAllowed(volume)).map(({ name }) => `volume ${name}`),
    ...containers.flatMap((container) =>
      violationsOf(container, spec).map((field) => `${field} of the container ${container.name}`),
    ),
  ];
}

function isAllowed(volume: V1Volume): boolean {
  return Object.entries(volume).every(([key, value]) => key === 'name' || value === undefined || VOLUMES.has(key));
}

function violationsOf(container: V1Container, { securityContext: pod = {} }: V1PodSpec): readonly string[] {
  const { securityContext: own = {}, ports = [] } = container;
  const checks: Readonly<Record<string, boolean>> = {
    privileged: own.privileged !== true,
    allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
    runAsNonRoot: (own.runAsNonRoot ?? pod.runAsNonRoot) === true,
    runAsUser: own.runAsUser !== 0,
    seccompProfile: SECCOMP.has((own.seccompProfile ?? pod.seccompProfile)?.type),
    capabilities: areRestricted(own.capabilities),
    procMount: own.procMount === undefined || own.procMount === 'Default',
    hostPort: ports.every(({ hostPort }) => hostPort === undefined || hostPort === 0),
    appArmorProfile: (own.appArmorProfile ?? pod.appArmorProfile)?.type !== 'Unconfined',
    windowsOptions: own.windowsOptions?.hostProcess !== true,
  };
  return Object.keys(checks).filter((name) => checks[name] === false);
}

function areRestricted({ add = [], drop = [] }: V1Capabilities = {}): boolean {
  return drop.includes('ALL') && add.every((name) => name === 'NET_BIND_SERVICE');
}
