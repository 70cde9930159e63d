import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

/**
 * A registry on this machine with one image, which holds its layer back until it is told to send it.
 *
 * @see https://distribution.github.io/distribution/spec/api/
 */
export class FakeRegistry implements AsyncDisposable {
  /** Settles when the engine asks for the layer. */
  readonly layerAsked: Promise<void>;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #blobs = new Map<string, Buffer>();
  readonly #askLayer: () => void;
  readonly #released: Promise<void>;
  readonly release: () => void;
  #layer = '';
  #manifest: Buffer = Buffer.alloc(0);

  constructor() {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.layerAsked = asked.promise;
    this.#askLayer = asked.resolve;
    this.#released = released.promise;
    this.release = released.resolve;
  }

  /** @returns the name of the image */
  async listen(): Promise<string> {
    const archive = pack();
    archive.entry({ name: 'hello' }, 'from the registry');
    archive.finalize();
    const layer = await buffer(archive);
    const compressed = gzipSync(layer);
    this.#layer = this.#add(compressed);
    const configuration = Buffer.from(
      JSON.stringify({
        architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
        os: 'linux',
        config: {},
        rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
      }),
    );
    this.#manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: {
          mediaType: 'application/vnd.docker.container.image.v1+json',
          size: configuration.length,
          digest: this.#add(configuration),
        },
        layers: [
          {
            mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
            size: compressed.length,
            digest: this.#layer,
          },
        ],
      }),
    );
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}/one:1`;
  }

  #add(blob: Buffer): string {
    const digest = digestOf(blob);
    this.#blobs.set(digest, blob);
    return digest;
  }

  async #answer({ url = '', method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = url.replace(/^\/v2\//, '');
    if (path.startsWith('one/manifests/')) {
      const headers = { 'content-type': MANIFEST, 'docker-content-digest': digestOf(this.#manifest) };
      response.writeHead(200, { ...headers, 'content-length': this.#manifest.length });
      response.end(method === 'HEAD' ? undefined : this.#manifest);
      return;
    }
    const digest = path.replace(/^one\/blobs\//, '');
    if (digest === this.#layer) {
      this.#askLayer();
      await this.#released;
    }
    response.writeHead(path === '' || this.#blobs.has(digest) ? 200 : 404).end(this.#blobs.get(digest));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
