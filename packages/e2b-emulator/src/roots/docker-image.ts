import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type DockerApi, DockerApiError } from './docker-api.ts';

/** Python and Node, which official images have: of each the newest that E2B's own base template comes near to. */
const LANGUAGES = `FROM node:24-slim AS node
FROM python:3.12-slim
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
`;

/** What commands in sandboxes reach for. It comes from a mirror of Debian. */
const TOOLS = `RUN apt-get -o Acquire::Languages=none -o Acquire::Retries=3 update \\
 && apt-get -o Acquire::Retries=3 install -y --no-install-recommends \\
      ca-certificates curl git iproute2 jq netcat-openbsd procps sudo unzip wget \\
 && rm -rf /var/lib/apt/lists/*
`;

/**
 * Gets the image for a template, and builds or pulls it if it is not there.
 *
 * @param image none: the base that is built here
 * @returns its name
 */
export async function ensureImage(
  api: DockerApi,
  image: string | undefined,
  log: (message: string) => void,
): Promise<string> {
  if (image !== undefined) {
    if (!(await hasImage(api, image))) await pull(api, image, log);
    return image;
  }
  try {
    return await ensureBuilt(api, `${LANGUAGES}${TOOLS}`, log);
  } catch (error) {
    log(`the base template goes without curl, git and other tools: ${(error as Error).message}`);
    return ensureBuilt(api, LANGUAGES, log);
  }
}

const imageSchema = z.object({ Config: z.object({ Env: z.array(z.string()).nullish() }) });

/** envd has its own. */
const NOT_FROM_IMAGE = new Set(['PATH', 'HOME']);

/** The variables that an image sets, as a template's do. */
export async function imageEnvironment(api: DockerApi, image: string): Promise<Readonly<Record<string, string>>> {
  const { Config } = imageSchema.parse(await api.call('GET', `/images/${encodeURIComponent(image)}/json`));
  const entries = (Config.Env ?? []).map((line) => {
    const [name = '', ...value] = line.split('=');
    return [name, value.join('=')] as const;
  });
  return Object.fromEntries(entries.filter(([name]) => !NOT_FROM_IMAGE.has(name)));
}

/** Another recipe is another image. */
async function ensureBuilt(api: DockerApi, dockerfile: string, log: (message: string) => void): Promise<string> {
  const image = `e2b-emulator-base:${createHash('sha256').update(dockerfile).digest('hex').slice(0, 12)}`;
  if (await hasImage(api, image)) return image;
  log(`building the image ${image} of the base template; this is done once, and may take a minute`);
  const path = `/build?t=${encodeURIComponent(image)}&rm=1&forcerm=1`;
  await follow(await api.stream('POST', path, tarOf('Dockerfile', dockerfile), 'application/x-tar'), `build ${image}`);
  return image;
}

async function pull(api: DockerApi, image: string, log: (message: string) => void): Promise<void> {
  log(`pulling the image ${image}`);
  const [name = '', tag = 'latest'] = image.split(/:(?!.*\/)/);
  const query = `fromImage=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`;
  await follow(await api.stream('POST', `/images/create?${query}`), `pull ${image}`);
}

async function hasImage(api: DockerApi, image: string): Promise<boolean> {
  try {
    await api.call('GET', `/images/${encodeURIComponent(image)}/json`);
    return true;
  } catch (error) {
    if (error instanceof DockerApiError && error.status === 404) return false;
    throw error;
  }
}

/** Waits for the end of work that the engine tells about, one object of JSON a line. */
async function follow(answer: NodeJS.ReadableStream, operation: string): Promise<void> {
  for await (const line of createInterface({ input: answer })) {
    if (line.trim() === '') continue;
    const { error } = JSON.parse(line) as { readonly error?: string };
    if (error !== undefined) throw new Error(`The Docker engine could not ${operation}: ${error}`);
  }
}

/** An archive with one file in it. @see https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html */
function tarOf(name: string, content: string): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
  return Buffer.concat([header, body, padding, Buffer.alloc(1024)]);
}
