import { join } from 'node:path';
import { certificatesIn } from './certificates.ts';
import { type ClusterAddresses, LOOPBACK } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { configFilesOf } from './configs.ts';
import { findMarkedProcesses, type MarkedProcess } from './marked-processes.ts';

export const NODE_NAME = 'localhost';

export const PART_NAMES = [
  'containerd',
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'volumes',
] as const;

/** A program of the cluster. */
export type PartName = (typeof PART_NAMES)[number];

export interface PartOptions {
  readonly folder: ClusterFolder;
  readonly addresses: ClusterAddresses;
  /** The program that all parts but containerd are in. */
  readonly kubernetes: string;
}

/** A part's command line. It depends on the cluster alone, so that a part that ended can be started again. */
export function partCommand(part: PartName, { folder, addresses, kubernetes }: PartOptions): readonly string[] {
  const { authority, certificate, key } = certificatesIn(folder.certificatesDirectory);
  const data = (name: string): string => join(folder.dataDirectory, name);
  const etcd = `http://${LOOPBACK}:${addresses.etcdPort}`;
  const etcdPeer = `http://${LOOPBACK}:${addresses.etcdPeerPort}`;
  switch (part) {
    case 'containerd':
      return ['containerd', '--config', configFilesOf(folder).containerd];
    case 'etcd':
      return [
        kubernetes,
        part,
        `--data-dir=${data(part)}`,
        // What is in it is gone after `down` anyway.
        '--unsafe-no-fsync',
        '--log-level=warn',
        `--listen-client-urls=${etcd}`,
        `--advertise-client-urls=${etcd}`,
        `--listen-peer-urls=${etcdPeer}`,
        `--initial-advertise-peer-urls=${etcdPeer}`,
        `--initial-cluster=default=${etcdPeer}`,
      ];
    case 'kube-apiserver':
      return [
        kubernetes,
        part,
        `--etcd-servers=${etcd}`,
        `--bind-address=${LOOPBACK}`,
        `--advertise-address=${addresses.gateway}`,
        `--secure-port=${addresses.apiServerPort}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        `--tls-cert-file=${certificate}`,
        `--tls-private-key-file=${key}`,
        `--client-ca-file=${authority}`,
        `--cert-dir=${data(part)}`,
        '--authorization-mode=Node,RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${certificate}`,
        `--service-account-signing-key-file=${key}`,
        `--kubelet-certificate-authority=${authority}`,
        `--kubelet-client-certificate=${certificate}`,
        `--kubelet-client-key=${key}`,
        // By its name, the node is reached on the loopback.
        '--kubelet-preferred-address-types=Hostname',
        '--endpoint-reconciler-type=none',
        '--profiling=false',
      ];
    case 'kube-controller-manager':
      return [
        kubernetes,
        part,
        `--kubeconfig=${folder.kubeconfig}`,
        '--leader-elect=false',
        '--secure-port=0',
        `--service-account-private-key-file=${key}`,
        `--root-ca-file=${authority}`,
        `--flex-volume-plugin-dir=${data('volume-plugins')}`,
        `--cert-dir=${data(part)}`,
      ];
    case 'kube-scheduler':
      return [kubernetes, part, `--kubeconfig=${folder.kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
    case 'kubelet':
      return [
        kubernetes,
        part,
        `--config=${configFilesOf(folder).kubelet}`,
        `--kubeconfig=${folder.kubeconfig}`,
        `--root-dir=${data(part)}`,
        `--cert-dir=${data(part)}`,
        `--hostname-override=${NODE_NAME}`,
        `--node-ip=${addresses.gateway}`,
      ];
    case 'volumes':
      return [
        kubernetes,
        part,
        `--kubeconfig=${folder.kubeconfig}`,
        `--directory=${data(part)}`,
        `--node=${NODE_NAME}`,
      ];
    default:
      return part satisfies never;
  }
}

/** The running parts, by name. */
export async function findParts(folder: ClusterFolder): Promise<ReadonlyMap<PartName, MarkedProcess>> {
  const parts = new Map<PartName, MarkedProcess>();
  for (const found of await findMarkedProcesses(folder)) {
    const name = PART_NAMES.find((part) => isPart(part, found));
    if (name !== undefined) parts.set(name, found);
  }
  return parts;
}

/** The program itself, and not what brought it into the namespace, which has its name among its arguments. */
function isPart(part: PartName, { argv, namespacePids }: MarkedProcess): boolean {
  const name = part === 'containerd' ? argv[0] : argv[1];
  return namespacePids.length > 1 && name === part;
}
