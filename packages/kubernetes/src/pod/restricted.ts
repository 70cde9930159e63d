import type {
  V1Capabilities,
  V1Container,
  V1PodSpec,
  V1PodTemplateSpec,
  V1SELinuxOptions,
  V1Volume,
} from '@kubernetes/client-node';

/** What a volume may be. */
const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
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

/** Of seccomp and of AppArmor. */
const PROFILES: ReadonlySet<string | undefined> = new Set(['RuntimeDefault', 'Localhost']);

const SELINUX_TYPES: ReadonlySet<string> = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);

/** How a profile of AppArmor was given before it had a field. A container's name follows. */
const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

/**
 * In what a Pod does not keep to the `restricted` standard, and to ours: no service account's token in it.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export function restrictedViolations({
  metadata,
  spec,
}: Required<Pick<V1PodTemplateSpec, 'metadata' | 'spec'>>): readonly string[] {
  const { securityContext: pod = {} } = spec;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const checks: Readonly<Record<string, boolean>> = {
    automountServiceAccountToken: spec.automountServiceAccountToken === false,
    hostNetwork: spec.hostNetwork !== true,
    hostPID: spec.hostPID !== true,
    hostIPC: spec.hostIPC !== true,
    // What all containers have of their own is not asked of the Pod.
    'securityContext.runAsNonRoot': pod.runAsNonRoot !== false,
    'securityContext.runAsUser': pod.runAsUser !== 0,
    'securityContext.seccompProfile': pod.seccompProfile === undefined || PROFILES.has(pod.seccompProfile.type),
    'securityContext.appArmorProfile': pod.appArmorProfile === undefined || PROFILES.has(pod.appArmorProfile.type),
    'securityContext.seLinuxOptions': isConfined(pod.seLinuxOptions),
    'securityContext.windowsOptions': pod.windowsOptions?.hostProcess !== true,
  };
  return [
    ...failed(checks),
    ...annotationViolations(metadata.annotations),
    ...(pod.sysctls ?? []).filter(({ name }) => !SYSCTLS.has(name)).map(({ name }) => `sysctl ${name}`),
    ...(spec.volumes ?? []).filter((volume) => !isAllowed(volume)).map(({ name }) => `volume ${name}`),
    ...containers.flatMap((container) =>
      violationsOf(container, spec).map((field) => `${field} of the container ${container.name}`),
    ),
  ];
}

/** Annotations that take AppArmor from a container. */
export function annotationViolations(annotations: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(annotations)
    .filter(
      ([name, profile]) =>
        name.startsWith(APP_ARMOR_ANNOTATION) && !/^(?:$|runtime\/default$|localhost\/)/.test(profile),
    )
    .map(([name]) => `annotation ${name}`);
}

function failed(checks: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(checks).filter((name) => checks[name] === false);
}

function isAllowed(volume: V1Volume): boolean {
  return Object.entries(volume).every(([key, value]) => key === 'name' || value === undefined || VOLUMES.has(key));
}

function violationsOf(container: V1Container, { securityContext: pod = {} }: V1PodSpec): readonly string[] {
  const { securityContext: own = {}, ports = [] } = container;
  return failed({
    privileged: own.privileged !== true,
    allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
    runAsNonRoot: (own.runAsNonRoot ?? pod.runAsNonRoot) === true,
    runAsUser: own.runAsUser !== 0,
    seccompProfile: PROFILES.has((own.seccompProfile ?? pod.seccompProfile)?.type),
    capabilities: areRestricted(own.capabilities),
    procMount: own.procMount === undefined || own.procMount === 'Default',
    hostPort: ports.every(({ hostPort }) => hostPort === undefined || hostPort === 0),
    appArmorProfile: own.appArmorProfile === undefined || PROFILES.has(own.appArmorProfile.type),
    seLinuxOptions: isConfined(own.seLinuxOptions),
    windowsOptions: own.windowsOptions?.hostProcess !== true,
    'host of a probe or hook': !asksOtherHosts(container),
  });
}

function areRestricted({ add = [], drop = [] }: V1Capabilities = {}): boolean {
  return drop.includes('ALL') && add.every((name) => name === 'NET_BIND_SERVICE');
}

function isConfined({ type = '', user = '', role = '' }: V1SELinuxOptions = {}): boolean {
  return SELINUX_TYPES.has(type) && user === '' && role === '';
}

/** It is the node that asks them, which may reach what the Pod may not. */
function asksOtherHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle = {} }: V1Container): boolean {
  return [livenessProbe, readinessProbe, startupProbe, lifecycle.postStart, lifecycle.preStop].some(
    (asked) => (asked?.httpGet?.host ?? '') !== '' || (asked?.tcpSocket?.host ?? '') !== '',
  );
}
