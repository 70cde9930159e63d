import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import * as der from './der.ts';

export interface Certificate {
  /** In PEM form, as a client is to trust it. */
  readonly certificate: string;
  readonly privateKey: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 30;
const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
} as const;

/** Signs one for a domain, all names right under it, and loopback. Its key is in this process alone. */
export function makeCertificate(domain: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der.sequence(der.oid(OID.ecdsaWithSha256));
  const name = der.sequence(der.set(der.sequence(der.oid(OID.commonName), der.utf8('E2B emulator'))));
  const now = Date.now();
  const content = der.sequence(
    der.contextual(0, der.integer(Buffer.from([2]))),
    der.integer(randomBytes(16)),
    algorithm,
    name,
    der.sequence(der.time(new Date(now - DAY_MS)), der.time(new Date(now + VALID_DAYS * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.contextual(3, der.sequence(...extensions(domain))),
  );
  const signature = sign('sha256', content, privateKey);
  const encoded = der.sequence(content, algorithm, der.bits(signature)).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${encoded.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END CERTIFICATE-----\n`,
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

function extensions(domain: string): readonly Buffer[] {
  const dnsNames = [domain, `*.${domain}`, 'localhost'].map((host) => der.contextual(2, Buffer.from(host), false));
  const loopback = der.contextual(7, Buffer.from([127, 0, 0, 1]), false);
  return [
    extension(OID.basicConstraints, der.sequence(der.boolean(true)), true),
    // Signs what it presents, and certificates: itself.
    extension(OID.keyUsage, der.tagged(3, Buffer.from([2, 0b1000_0100])), true),
    extension(OID.alternativeNames, der.sequence(...dnsNames, loopback), false),
  ];
}

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  return der.sequence(der.oid(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value));
}
