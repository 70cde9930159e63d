import { isAbsolute } from 'node:path';
import { parseArgs } from 'node:util';

/** Where the gateway listens: a unix socket, or a port. */
export type GatewayAddress =
  | { readonly kind: 'socket'; readonly path: string }
  /** Port 0 is any free one. */
  | { readonly kind: 'port'; readonly port: number; readonly host: string };

export interface ServeArguments {
  readonly command: 'serve';
  readonly address: GatewayAddress;
  readonly adminSocket: string;
  readonly workdir: string;
  /** What the backend calls itself. */
  readonly kind: string;
  /** Path of the `rg` to search with; without it every search fails with `search-unavailable`. */
  readonly ripgrepPath: string | undefined;
  /** Names, beside those of this machine, that a request may give as its `Host`. */
  readonly allowedHosts: readonly string[];
  /** The first attachment is a line on stdin, which saves whoever starts the gateway a second command. */
  readonly readsAttachment: boolean;
}

export type GatewayArguments =
  | ServeArguments
  | { readonly command: 'attach'; readonly adminSocket: string }
  | { readonly command: 'warm-up' }
  | { readonly command: 'version' }
  | { readonly command: 'help' };

export const USAGE = `Usage:
  gateway.js --socket PATH | --port N [--host 127.0.0.1]
             --admin-socket PATH --workdir DIR [--kind KIND] [--rg PATH] [--allow-host NAME]…
             [--attach]
      Serves the directory until SIGTERM. Prints one JSON line when it is ready. With --attach it
      first admits a token as the next command does.
  gateway.js attach --admin-socket PATH
      Reads {"attachmentId", "token", "ttlMs"} as a JSON line from stdin and admits that token.
  gateway.js warm-up
      Does what a start needs once, and ends: with NODE_COMPILE_CACHE set, Node keeps what it made of
      this program, and loads it in half the time from then on.
  gateway.js --version
`;

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  socket: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  'admin-socket': { type: 'string' },
  workdir: { type: 'string' },
  kind: { type: 'string' },
  rg: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  attach: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function absolute(name: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  if (!isAbsolute(value)) throw new UsageError(`--${name} takes an absolute path, and not ${JSON.stringify(value)}.`);
  return value;
}

function parseAddress({ socket, port, host }: Values): GatewayAddress {
  if ((socket === undefined) === (port === undefined)) throw new UsageError('Give either --socket or --port.');
  if (socket !== undefined) return { kind: 'socket', path: absolute('socket', socket) };
  const number = Number(port);
  if (!/^\d+$/.test(port ?? '') || number > 65_535) throw new UsageError(`--port takes a number up to 65535.`);
  return { kind: 'port', port: number, host: host ?? '127.0.0.1' };
}

/** @param argv without node and the script @throws {UsageError} */
export function parseArguments(argv: readonly string[]): GatewayArguments {
  let values: Values;
  let positionals: readonly string[];
  try {
    ({ values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const [command = 'serve', ...others] = positionals;
  if (others.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(others[0])}.`);
  if (command === 'warm-up') return { command };
  const adminSocket = absolute('admin-socket', values['admin-socket']);
  switch (command) {
    case 'attach':
      return { command, adminSocket };
    case 'serve':
      return {
        command,
        address: parseAddress(values),
        adminSocket,
        workdir: absolute('workdir', values.workdir),
        kind: values.kind ?? 'sandbox',
        ripgrepPath: values.rg === undefined ? undefined : absolute('rg', values.rg),
        allowedHosts: values['allow-host'] ?? [],
        readsAttachment: values.attach === true,
      };
    default:
      throw new UsageError(`There is no command ${JSON.stringify(command)}.`);
  }
}
