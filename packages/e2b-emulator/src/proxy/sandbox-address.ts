import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { bareSandboxId } from '../sandboxes/tokens.ts';

/** Where a request goes. */
export type Destination =
  | { readonly kind: 'sandbox'; readonly sandboxId: string; readonly port: number }
  /** To envd, but nothing says whose. */
  | { readonly kind: 'signed-file' }
  | { readonly kind: 'control-plane' }
  /** Plain text, status 400. */
  | { readonly kind: 'invalid'; readonly message: string };

const ID_HEADER = 'e2b-sandbox-id';
const PORT_HEADER = 'e2b-sandbox-port';
const SANDBOX_LABEL = /^(\d+)-([a-z0-9]+(?:-[a-z0-9]+)?)$/;
const FILE_PATHS: readonly string[] = ['/files', '/files/compose'];

/** Reads it off the headers that the SDK sends to a shared host, else off the host's first label. */
export function findDestination(headers: IncomingHttpHeaders, path: string): Destination {
  const hostname = (headers.host ?? '').replace(/:\d+$/, '');
  const [label = '', ...domain] = hostname.toLowerCase().split('.');
  if (isShared(hostname, label)) {
    const id = headers[ID_HEADER];
    const port = headers[PORT_HEADER];
    if (id !== undefined || port !== undefined) return fromHeaders(id, port);
    if (FILE_PATHS.includes(path)) return { kind: 'signed-file' };
    return { kind: 'control-plane' };
  }
  const match = SANDBOX_LABEL.exec(label);
  if (match !== null && domain.length > 0) return toSandbox(match[2] ?? '', match[1] ?? '');
  const isOther = domain.at(-1) === 'localhost' && domain.length > 1 && label !== 'api';
  return isOther ? { kind: 'invalid', message: `invalid sandbox host: ${hostname}` } : { kind: 'control-plane' };
}

function isShared(hostname: string, label: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return hostname === 'localhost' || label === 'sandbox' || isIP(address) !== 0;
}

function fromHeaders(id: string | string[] | undefined, port: string | string[] | undefined): Destination {
  if (typeof id !== 'string') return { kind: 'invalid', message: `missing header: ${ID_HEADER}` };
  if (typeof port !== 'string') return { kind: 'invalid', message: `missing header: ${PORT_HEADER}` };
  return toSandbox(id, port);
}

function toSandbox(id: string, portText: string): Destination {
  const sandboxId = bareSandboxId(id);
  if (!/^[a-z0-9]+$/.test(sandboxId)) return { kind: 'invalid', message: `invalid sandbox ID: ${id}` };
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return { kind: 'invalid', message: `invalid sandbox port: ${portText}` };
  }
  return { kind: 'sandbox', sandboxId, port };
}
