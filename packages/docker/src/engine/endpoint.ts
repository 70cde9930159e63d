import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DockerOptionsInvalidError } from '@agent-workspace/core';
import { z } from 'zod';

/** Where an engine is, and what proves who we are. */
export interface EngineEndpoint {
  /** As in `DOCKER_HOST`: `unix:///…`, `tcp://host:port`, `ssh://user@host`. */
  readonly address: string;
  readonly tls?: EngineTls | undefined;
}

/** Certificates in PEM form, as far as there are any. */
export interface EngineTls {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

export interface FindEndpointOptions {
  /** Goes before everything else. */
  readonly dockerHost?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly homeDirectory?: string | undefined;
}

const DEFAULT_CONTEXT = 'default';

const configSchema = z.object({ currentContext: z.string().optional() });

const contextSchema = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string().min(1) }) }),
});

/**
 * Finds the engine that the `docker` command would talk to: `DOCKER_HOST`, else the context of
 * `DOCKER_CONTEXT` or of Docker's configuration, else the usual sockets.
 *
 * @throws `docker-options-invalid` for a context that does not exist
 * @see https://docs.docker.com/engine/manage-resources/contexts/
 */
export async function findEndpoint(options: FindEndpointOptions = {}): Promise<EngineEndpoint> {
  const { environment = process.env, homeDirectory = homedir() } = options;
  const address = options.dockerHost ?? environment['DOCKER_HOST'];
  if (address) return { address: withScheme(address), tls: await environmentTls(address, environment) };
  const configDirectory = environment['DOCKER_CONFIG'] ?? join(homeDirectory, '.docker');
  const context = environment['DOCKER_CONTEXT'] || (await currentContext(configDirectory));
  if (context !== DEFAULT_CONTEXT) return readContext(configDirectory, context);
  return { address: `unix://${await defaultSocket(environment, homeDirectory)}` };
}

function withScheme(address: string): string {
  return address.includes('://') ? address : `tcp://${address}`;
}

async function environmentTls(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EngineTls | undefined> {
  const directory = environment['DOCKER_CERT_PATH'];
  if (!withScheme(address).startsWith('tcp:') || !environment['DOCKER_TLS_VERIFY']) return undefined;
  return directory === undefined ? {} : readTls(directory);
}

async function readTls(directory: string): Promise<EngineTls> {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readIfThere(join(directory, name))),
  );
  return { ca, cert, key };
}

async function currentContext(configDirectory: string): Promise<string> {
  const text = await readIfThere(join(configDirectory, 'config.json'));
  if (text === undefined) return DEFAULT_CONTEXT;
  const config = configSchema.safeParse(parseJson(text));
  return (config.success ? config.data.currentContext : undefined) || DEFAULT_CONTEXT;
}

async function readContext(configDirectory: string, name: string): Promise<EngineEndpoint> {
  const digest = createHash('sha256').update(name).digest('hex');
  const path = join(configDirectory, 'contexts', 'meta', digest, 'meta.json');
  const text = await readIfThere(path);
  const context = contextSchema.safeParse(text === undefined ? undefined : parseJson(text));
  if (!context.success) {
    const problem = text === undefined ? 'there is none of that name' : `${path} names no Docker endpoint`;
    throw new DockerOptionsInvalidError({
      option: 'DOCKER_CONTEXT',
      reason: `of the Docker context ${JSON.stringify(name)}, ${problem}. Choose one of \`docker context ls\`.`,
    });
  }
  const address = context.data.Endpoints.docker.Host;
  const tls = await readTls(join(configDirectory, 'contexts', 'tls', digest, 'docker'));
  return { address, tls: tls.ca === undefined && tls.cert === undefined ? undefined : tls };
}

/** The first of the sockets of a system-wide engine, Docker Desktop and a rootless engine that is there. */
async function defaultSocket(
  environment: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): Promise<string> {
  const systemWide = '/var/run/docker.sock';
  const runtimeDirectory = environment['XDG_RUNTIME_DIR'];
  const candidates = [
    systemWide,
    join(homeDirectory, '.docker', 'run', 'docker.sock'),
    ...(runtimeDirectory === undefined ? [] : [join(runtimeDirectory, 'docker.sock')]),
  ];
  for (const path of candidates) if (await isThere(path)) return path;
  return systemWide;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DockerOptionsInvalidError({ option: path, reason: 'it cannot be read.' }, { cause: error });
  }
}

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    // Docker's own command ignores a configuration that does not parse, too.
    return undefined;
  }
}
