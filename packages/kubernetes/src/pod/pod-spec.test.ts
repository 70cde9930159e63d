import { KubernetesOptionsInvalidError } from '@agent-workspace/core';
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import type { KubernetesPodOptions, Patch } from '../kubernetes-options.ts';
import { ANNOTATIONS, LABELS } from './identity.ts';
import { createClaim, createPod } from './pod-spec.ts';

const identity = { managerId: 'standalone', workspaceId: 'a/b' };

function refusal(podTemplate: KubernetesPodOptions['podTemplate'], options: KubernetesPodOptions = {}): string {
  try {
    createPod(identity, { ...options, podTemplate });
  } catch (error) {
    if (KubernetesOptionsInvalidError.isInstance(error) && error.details.option === 'podTemplate') {
      return error.details.reason;
    }
    throw error;
  }
  return 'taken';
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** A template that changes the security of our container. */
function own(securityContext: Patch<V1SecurityContext>): KubernetesPodOptions['podTemplate'] {
  return { spec: { containers: [{ name: 'workspace', securityContext }] } };
}

function confinedAlone(
  securityContext: Patch<V1PodSecurityContext>,
  ofContainer: Patch<V1SecurityContext>,
): KubernetesPodOptions['podTemplate'] {
  return { spec: { securityContext, containers: [{ name: 'workspace', securityContext: ofContainer }] } };
}

describe('createPod', () => {
  it('keeps to the restricted standard, with no token, no service links and an init that reaps', () => {
    const { spec } = createPod(identity, {});
    expect(spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      shareProcessNamespace: true,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
    });
  });

  it('takes the options to where they belong', () => {
    const { metadata, spec } = createPod(identity, {
      image: 'registry.example.com/agents:1',
      imagePullPolicy: 'Always',
      imagePullSecrets: ['pull'],
      resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents', operator: 'Exists' }],
      serviceAccountName: 'agents',
      runtimeClassName: 'gvisor',
      labels: { team: 'a' },
      annotations: { 'example.com/note': 'n' },
      user: '2000:3000',
    });
    expect(metadata).toMatchObject({
      labels: { team: 'a', [LABELS.manager]: 'standalone' },
      annotations: { 'example.com/note': 'n', [ANNOTATIONS.workspace]: 'a/b' },
    });
    expect(spec).toMatchObject({
      imagePullSecrets: [{ name: 'pull' }],
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents', operator: 'Exists' }],
      serviceAccountName: 'agents',
      runtimeClassName: 'gvisor',
      securityContext: { runAsUser: 2000, runAsGroup: 3000, fsGroup: 3000 },
      containers: [
        {
          image: 'registry.example.com/agents:1',
          imagePullPolicy: 'Always',
          resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
        },
      ],
    });
  });

  it('tells two configurations apart, whatever the order of their options is', () => {
    const hashOf = (options: KubernetesPodOptions): string | undefined =>
      createPod(identity, options).metadata?.annotations?.[ANNOTATIONS.configuration];
    expect(hashOf({ image: 'a', user: '1' })).toBe(hashOf({ user: '1', image: 'a' }));
    expect(hashOf({ nodeSelector: { a: '1', b: '2' } })).toBe(hashOf({ nodeSelector: { b: '2', a: '1' } }));
    expect(hashOf({ image: 'a' })).not.toBe(hashOf({ image: 'b' }));
  });

  it('lets a template add what there is no option for', () => {
    const { spec } = createPod(identity, {
      podTemplate: {
        spec: {
          priorityClassName: 'low',
          containers: [{ name: 'workspace', env: [{ name: 'A', value: '1' }] }],
        },
      },
    });
    expect(spec).toMatchObject({ priorityClassName: 'low', containers: [{ env: [{ name: 'A', value: '1' }] }] });
    expect(spec?.containers).toHaveLength(1);
  });

  it.each<[string, KubernetesPodOptions['podTemplate']]>([
    ['another name', { metadata: { name: 'mine' } }],
    ['another namespace', { metadata: { namespace: 'mine' } }],
    ['a label of ours', { metadata: { labels: { [LABELS.workspace]: 'other' } } }],
    ['a label of ours removed', { metadata: { labels: { [LABELS.managedBy]: null } } }],
    ['all labels removed', { metadata: { labels: null } }],
    ['an annotation under our name', { metadata: { annotations: { 'agent-workspace.dev/other': 'x' } } }],
    ['another command', { spec: { containers: [{ name: 'workspace', command: ['sh'] }] } }],
    ['arguments', { spec: { containers: [{ name: 'workspace', args: ['x'] }] } }],
    ['another claim', { spec: { volumes: [{ name: 'workspace', persistentVolumeClaim: { claimName: 'x' } }] } }],
    ['no volumes', { spec: { volumes: null } }],
    ['no containers', { spec: { containers: null } }],
    ['another restart policy', { spec: { restartPolicy: 'Always' } }],
  ])('refuses %s', (_what, podTemplate) => {
    expect(refusal(podTemplate, { podSecurity: 'unrestricted' })).toMatch(/ leave them\.$/);
  });

  it.each<[string, KubernetesPodOptions['podTemplate']]>([
    ['hostNetwork', { spec: { hostNetwork: true } }],
    ['automountServiceAccountToken', { spec: { automountServiceAccountToken: true } }],
    ['runAsNonRoot of the container workspace', { spec: { securityContext: { runAsNonRoot: false } } }],
    ['seccompProfile of the container workspace', { spec: { securityContext: { seccompProfile: null } } }],
    ['volume host', { spec: { volumes: [{ name: 'host', hostPath: { path: '/' } }] } }],
    [
      'privileged of the container workspace',
      { spec: { containers: [{ name: 'workspace', securityContext: { privileged: true } }] } },
    ],
    [
      'capabilities of the container workspace',
      { spec: { containers: [{ name: 'workspace', securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }] } },
    ],
    ['allowPrivilegeEscalation of the container other', { spec: { containers: [{ name: 'other', image: 'x' }] } }],
    ['securityContext.seLinuxOptions', { spec: { securityContext: { seLinuxOptions: { type: 'spc_t' } } } }],
    ['securityContext.seLinuxOptions', { spec: { securityContext: { seLinuxOptions: { user: 'system_u' } } } }],
    ['seLinuxOptions of the container workspace', own({ seLinuxOptions: { role: 'system_r' } })],
    [`annotation ${APP_ARMOR}workspace`, { metadata: { annotations: { [`${APP_ARMOR}workspace`]: 'unconfined' } } }],
    ['securityContext.appArmorProfile', { spec: { securityContext: { appArmorProfile: { type: 'Unconfined' } } } }],
    ['appArmorProfile of the container workspace', own({ appArmorProfile: { type: 'Else' } })],
    // What the Pod says counts, even where each container says otherwise.
    [
      'securityContext.seccompProfile',
      confinedAlone({ seccompProfile: { type: 'Unconfined' } }, { seccompProfile: { type: 'RuntimeDefault' } }),
    ],
    ['securityContext.runAsNonRoot', confinedAlone({ runAsNonRoot: false }, { runAsNonRoot: true })],
    ['securityContext.windowsOptions', { spec: { securityContext: { windowsOptions: { hostProcess: true } } } }],
    ['windowsOptions of the container workspace', own({ windowsOptions: { hostProcess: true } })],
    ['procMount of the container workspace', own({ procMount: 'Unmasked' })],
    ['sysctl kernel.msgmax', { spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } } }],
    [
      'hostPort of the container workspace',
      { spec: { containers: [{ name: 'workspace', ports: [{ containerPort: 80, hostPort: 80 }] }] } },
    ],
    [
      'host of a probe or hook of the container workspace',
      { spec: { containers: [{ name: 'workspace', livenessProbe: { httpGet: { host: '169.254.1.1', port: 80 } } }] } },
    ],
    [
      'host of a probe or hook of the container workspace',
      { spec: { containers: [{ name: 'workspace', lifecycle: { preStop: { tcpSocket: { host: 'x', port: 80 } } } }] } },
    ],
    ['capabilities of the container init', { spec: { initContainers: [{ name: 'init', image: 'x' }] } }],
  ])('refuses %s, unless it is meant', (violation, podTemplate) => {
    expect(refusal(podTemplate)).toContain(violation);
    expect(refusal(podTemplate, { podSecurity: 'unrestricted' })).toBe('taken');
  });

  it.each<[string, KubernetesPodOptions['podTemplate']]>([
    [
      'a type of SELinux that is for containers',
      own({ seLinuxOptions: { type: 'container_engine_t', level: 's0:c1' } }),
    ],
    ["the runtime's AppArmor profile", own({ appArmorProfile: { type: 'RuntimeDefault' } })],
    ["one of the node's", own({ appArmorProfile: { type: 'Localhost', localhostProfile: 'mine' } })],
    ["one of the node's by annotation", { metadata: { annotations: { [`${APP_ARMOR}workspace`]: 'localhost/mine' } } }],
    ["the runtime's by annotation", { metadata: { annotations: { [`${APP_ARMOR}workspace`]: 'runtime/default' } } }],
    [
      'a probe of the Pod itself',
      { spec: { containers: [{ name: 'workspace', livenessProbe: { tcpSocket: { port: 80 } } }] } },
    ],
  ])('takes %s, which is within the standard', (_what, podTemplate) => {
    expect(refusal(podTemplate)).toBe('taken');
  });
});

describe('createClaim', () => {
  it('asks for what the options say, and for the class of the cluster else', () => {
    expect(createClaim(identity, {}).spec).toStrictEqual({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    });
    expect(createClaim(identity, { storageClassName: 'fast', storageSize: '5Gi' }).spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '5Gi' } },
    });
  });
});
