import dns, { type LookupAddress, type LookupOptions } from 'node:dns';

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

/** Whether a name is `localhost` or under it, which is this machine. @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
export function isLocalhostName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** As `dns.lookup`, where every name under `localhost` is this machine. Node asks the system, which may not know. */
export function lookupLocalhost(hostname: string, options: LookupOptions, callback: Callback): void {
  if (!isLocalhostName(hostname)) {
    systemLookup(hostname, options, callback);
    return;
  }
  if (options.all) process.nextTick(callback, null, [LOOPBACK]);
  else process.nextTick(callback, null, LOOPBACK.address, LOOPBACK.family);
}

const systemLookup = dns.lookup as (hostname: string, options: LookupOptions, callback: Callback) => void;

/** Makes the whole process resolve names so, its `fetch` included. */
export function installLocalhostNames(): void {
  const lookup = (hostname: string, options: unknown, callback?: Callback): void => {
    if (typeof options === 'function') lookupLocalhost(hostname, {}, options as Callback);
    else if (callback !== undefined) lookupLocalhost(hostname, toOptions(options), callback);
  };
  dns.lookup = Object.assign(lookup, dns.lookup) as typeof dns.lookup;
}

function toOptions(options: unknown): LookupOptions {
  return typeof options === 'number' ? { family: options } : (options ?? {});
}
