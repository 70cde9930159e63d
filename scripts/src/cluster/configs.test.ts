import { describe, expect, it } from 'vitest';
import { addressesOfSlot } from './cluster-addresses.ts';
import { clusterFolder } from './cluster-folder.ts';
import { containerdConfig, kubeconfig, kubeletConfig, networkConfig } from './configs.ts';

const folder = clusterFolder('/a "folder"');
const options = { folder, addresses: addressesOfSlot(1), pluginsDirectory: '/usr/lib/cni' };

describe('the configurations', () => {
  it('have containerd keep everything in the folder, whatever its name', () => {
    const config = containerdConfig(options);
    expect(config).toContain(String.raw`root = "/a \"folder\"/run/data/containerd/root"`);
    expect(config).toContain(String.raw`address = "/a \"folder\"/run/containerd.sock"`);
    expect(config).toContain('bin_dir = "/usr/lib/cni"');
  });

  it("have the kubelet listen on the loopback and keep Pods in the cluster's control group", () => {
    expect(kubeletConfig(options)).toMatchObject({
      address: '127.0.0.1',
      port: 24_017,
      cgroupRoot: `/${folder.name}`,
      authentication: { anonymous: { enabled: false } },
    });
  });

  it('have Pods on the bridge of the cluster', () => {
    expect(networkConfig(options)).toMatchObject({
      name: folder.name,
      plugins: [{ bridge: folder.name, ipam: { ranges: [[{ subnet: '10.244.4.0/22' }]] } }],
    });
  });

  it('have users find the API server, with certificates in the file itself', () => {
    const pem = Buffer.from('pem');
    expect(kubeconfig(options.addresses, { authority: pem, certificate: pem, key: pem })).toMatchObject({
      clusters: [{ cluster: { server: 'https://127.0.0.1:24016', 'certificate-authority-data': 'cGVt' } }],
      users: [{ user: { 'client-certificate-data': 'cGVt', 'client-key-data': 'cGVt' } }],
      'current-context': 'agent-workspace',
    });
  });
});
