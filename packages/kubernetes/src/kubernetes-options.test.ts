import { describe, expect, it } from 'vitest';
import { checkPodOptions, type KubernetesPodOptions, parseUser } from './kubernetes-options.ts';

const UNCONFINED = { 'container.apparmor.security.beta.kubernetes.io/workspace': 'unconfined' };

describe('checkPodOptions', () => {
  it('takes none, and all at once', () => {
    expect(() => checkPodOptions({})).not.toThrow();
    expect(() =>
      checkPodOptions({
        kubeconfig: '/x',
        context: 'c',
        namespace: 'agents',
        image: 'x',
        imagePullPolicy: 'Never',
        imagePullSecrets: ['a'],
        resources: { requests: { cpu: '0.5', memory: '512Mi' }, limits: { memory: '1e9' } },
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ key: 'a' }],
        serviceAccountName: 'a',
        runtimeClassName: 'gvisor',
        storageClassName: 'standard',
        storageSize: '10Gi',
        labels: { a: '' },
        annotations: { 'example.com/a': 'any thing' },
        podTemplate: {},
        user: '1:2',
        transport: 'exec',
        gatewayPort: 8080,
        deleteVolumeOnClose: true,
        startTimeoutMs: 1,
        managerId: 'any/thing',
      }),
    ).not.toThrow();
  });

  it.each<[string, KubernetesPodOptions]>([
    ['namespace', { namespace: 'No_Name' }],
    ['image', { image: '' }],
    ['imagePullPolicy', { imagePullPolicy: 'Sometimes' as 'Never' }],
    ['imagePullSecrets.0', { imagePullSecrets: ['A B'] }],
    ['resources.limits.memory', { resources: { limits: { memory: 'much' } } }],
    ['storageSize', { storageSize: '10 GB' }],
    ['labels.a', { labels: { a: 'no value of a label' } }],
    ['labels.agent-workspace.dev/x', { labels: { 'agent-workspace.dev/x': 'a' } }],
    ['annotations.agent-workspace.dev/x', { annotations: { 'agent-workspace.dev/x': 'a' } }],
    ['annotations', { annotations: UNCONFINED }],
    ['user', { user: 'node' }],
    ['user', { user: '0' }],
    ['transport', { transport: 'socket' as 'exec' }],
    ['gatewayPort', { gatewayPort: 80 }],
    ['startTimeoutMs', { startTimeoutMs: 0 }],
    ['startTimeoutMs', { startTimeoutMs: 2 ** 31 }],
  ])('refuses what %s cannot be', (option, options) => {
    expect(() => checkPodOptions(options)).toThrow(
      expect.objectContaining({ code: 'kubernetes-options-invalid', details: { option, reason: expect.any(String) } }),
    );
  });

  it('takes root, and no AppArmor, where that is meant', () => {
    const options = { user: '0', annotations: UNCONFINED };
    expect(() => checkPodOptions({ ...options, podSecurity: 'unrestricted' })).not.toThrow();
  });
});

describe('parseUser', () => {
  it('has a group as the user by default', () => {
    expect(parseUser('5')).toStrictEqual({ uid: 5, gid: 5 });
    expect(parseUser('5:6')).toStrictEqual({ uid: 5, gid: 6 });
    expect(parseUser(undefined)).toStrictEqual({ uid: 1000, gid: 1000 });
  });
});
