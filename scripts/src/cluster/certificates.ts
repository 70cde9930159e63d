import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOOPBACK } from './cluster-addresses.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { runMarked } from './marked-processes.ts';

const DAYS = 365;

export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export function certificatesIn(directory: string): Certificates {
  return {
    authority: join(directory, 'authority.crt'),
    certificate: join(directory, 'cluster.crt'),
    key: join(directory, 'cluster.key'),
  };
}

const EXTENSIONS = `
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = IP:${LOOPBACK}, DNS:localhost, DNS:kubernetes.default.svc
`;

/**
 * Makes an authority, and one certificate for all: each part of the cluster serves and calls with it, its
 * user is the cluster's administrator, and its key signs the tokens of service accounts.
 */
export async function makeCertificates(folder: ClusterFolder): Promise<void> {
  const directory = folder.certificatesDirectory;
  const { authority, certificate, key } = certificatesIn(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, 'extensions'), EXTENSIONS);
  const openssl = (...args: readonly string[]): Promise<unknown> => runMarked(folder, ['openssl', ...args], directory);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const days = ['-days', String(DAYS)];
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'authority.key',
    '-out',
    authority,
    ...days,
    '-subj',
    '/CN=cluster',
  );
  await openssl('req', ...newKey, '-keyout', key, '-out', 'request', '-subj', '/O=system:masters/CN=admin');
  const issuer = ['-CA', authority, '-CAkey', 'authority.key', '-CAcreateserial'];
  await openssl('x509', '-req', '-in', 'request', ...issuer, ...days, '-extfile', 'extensions', '-out', certificate);
}
