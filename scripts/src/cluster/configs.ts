import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatesIn } from './certificates.ts';
import { type ClusterAddresses, LOOPBACK } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';

/** What containers of a Pod share their namespaces by. */
export const PAUSE_IMAGE = 'localhost/pause:1';

export interface ConfigFiles {
  readonly containerd: string;
  readonly kubelet: string;
  readonly networkDirectory: string;
  readonly resolver: string;
}

export function configFilesOf(folder: ClusterFolder): ConfigFiles {
  return {
    containerd: join(folder.configDirectory, 'containerd.toml'),
    kubelet: join(folder.configDirectory, 'kubelet.json'),
    networkDirectory: join(folder.configDirectory, 'network'),
    resolver: join(folder.configDirectory, 'resolv.conf'),
  };
}

export interface ConfigOptions {
  readonly folder: ClusterFolder;
  readonly addresses: ClusterAddresses;
  /** Where the CNI plugins are. */
  readonly pluginsDirectory: string;
}

/** Writes what the parts read at their start, and the kubeconfig. */
export async function writeConfigs(options: ConfigOptions): Promise<void> {
  const { folder, addresses } = options;
  const files = configFilesOf(folder);
  await mkdir(files.networkDirectory, { recursive: true });
  const { authority, certificate, key } = certificatesIn(folder.certificatesDirectory);
  const [authorityPem, certificatePem, keyPem] = await Promise.all(
    [authority, certificate, key].map((file) => readFile(file)),
  );
  await Promise.all([
    writeFile(files.containerd, containerdConfig(options)),
    writeFile(files.kubelet, asJson(kubeletConfig(options))),
    writeFile(join(files.networkDirectory, '10-pods.conflist'), asJson(networkConfig(options))),
    // Pods have no name server: there is none of the cluster, and the host's may not answer them.
    writeFile(files.resolver, ''),
    // The format is YAML, of which JSON is a part.
    writeFile(
      folder.kubeconfig,
      asJson(kubeconfig(addresses, { authority: authorityPem, certificate: certificatePem, key: keyPem })),
      { mode: 0o600 },
    ),
  ]);
}

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A string of TOML's is written as one of JSON's. */
const quoted = (text: string): string => JSON.stringify(text);

/** @see https://github.com/containerd/containerd/blob/release/1.6/docs/cri/config.md */
export function containerdConfig({ folder, pluginsDirectory }: ConfigOptions): string {
  const data = join(folder.dataDirectory, 'containerd');
  return `version = 2
root = ${quoted(join(data, 'root'))}
state = ${quoted(join(data, 'state'))}
disabled_plugins = [
  "io.containerd.internal.v1.tracing",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
address = ${quoted(folder.containerdSocket)}

[plugins."io.containerd.internal.v1.opt"]
path = ${quoted(join(data, 'opt'))}

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = ${quoted(PAUSE_IMAGE)}
stream_server_address = "${LOOPBACK}"
disable_apparmor = true
# Lower scores than its own take a capability that root does not have in every container.
restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = ${quoted(pluginsDirectory)}
conf_dir = ${quoted(configFilesOf(folder).networkDirectory)}

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
`;
}

/** @see https://www.cni.dev/plugins/current/main/bridge/ */
export function networkConfig({ folder, addresses }: ConfigOptions): unknown {
  return {
    cniVersion: '1.0.0',
    name: folder.name,
    plugins: [
      {
        type: 'bridge',
        bridge: folder.name,
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(folder.dataDirectory, 'addresses'),
          ranges: [[{ subnet: addresses.podNetwork }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

/** @see https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
export function kubeletConfig({ folder, addresses }: ConfigOptions): unknown {
  const { authority, certificate, key } = certificatesIn(folder.certificatesDirectory);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: LOOPBACK,
    port: addresses.kubeletPort,
    healthzPort: 0,
    readOnlyPort: 0,
    tlsCertFile: certificate,
    tlsPrivateKeyFile: key,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: authority },
    },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${folder.containerdSocket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${folder.name}`,
    failSwapOn: false,
    failCgroupV1: false,
    makeIPTablesUtilChains: false,
    podLogsDir: join(folder.dataDirectory, 'pod-logs'),
    volumePluginDir: join(folder.dataDirectory, 'volume-plugins'),
    resolvConf: configFilesOf(folder).resolver,
    // The machine's disk is others', too: that it is nearly full is no reason to evict Pods or to remove images.
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
  };
}

interface Pems {
  readonly authority: Buffer | undefined;
  readonly certificate: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** Holds the certificates themselves, so that a copy of it works elsewhere on this machine. */
export function kubeconfig(addresses: ClusterAddresses, { authority, certificate, key }: Pems): unknown {
  const name = 'agent-workspace';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: `https://${LOOPBACK}:${addresses.apiServerPort}`,
          'certificate-authority-data': authority?.toString('base64'),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          'client-certificate-data': certificate?.toString('base64'),
          'client-key-data': key?.toString('base64'),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}
