import type { Readable } from 'node:stream';
import type { EngineCaller, EngineCallOptions } from './engine-caller.ts';
import { type EngineMessage, readEngineMessages } from './engine-messages.ts';
import { hasStatus, translateEngineError } from './translate-error.ts';

export interface EngineImage {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ImageSummary {
  readonly id: string;
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly sizeBytes: number;
}

export interface BuildImageOptions extends EngineCallOptions {
  /** What the image is called. */
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The engine's images. */
export class EngineImages {
  readonly #caller: EngineCaller;

  constructor(caller: EngineCaller) {
    this.#caller = caller;
  }

  /** @returns `undefined` if it is not there */
  async inspect(name: string, options?: EngineCallOptions): Promise<EngineImage | undefined> {
    try {
      const image = await this.#caller.call(
        `inspect the image ${name}`,
        (docker, abortSignal) => docker.getImage(name).inspect({ abortSignal } as object),
        options,
      );
      return { id: image.Id, labels: image.Config.Labels ?? {} };
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** All that carry these labels. */
  async list(labels: Readonly<Record<string, string>>, options?: EngineCallOptions): Promise<readonly ImageSummary[]> {
    const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    const found = await this.#caller.call(
      'list the images',
      (docker, abortSignal) => docker.listImages({ filters: { label }, abortSignal }),
      options,
    );
    return found.map(({ Id, RepoTags, Created, Size }) => ({
      id: Id,
      // The engine says so of an image that has lost its name.
      names: ((RepoTags as string[] | null) ?? []).filter((name) => name !== '<none>:<none>'),
      createdAt: Created * 1000,
      sizeBytes: Size,
    }));
  }

  /**
   * Fetches an image. What it yields may be an error: that the stream has begun says nothing.
   *
   * @param name with a tag or a digest, since without one the engine would fetch every tag
   */
  async *pull(name: string, options?: EngineCallOptions): AsyncGenerator<EngineMessage> {
    const operation = `pull the image ${name}`;
    const stream = await this.#caller.open(
      operation,
      (docker, abort) => docker.createImage({ fromImage: name, ...abort }),
      options,
    );
    yield* this.#messages(stream, operation, options);
  }

  /** Builds an image from a tar archive with a `Dockerfile`. What it yields may be an error. */
  async *build(context: Readable, options: BuildImageOptions): AsyncGenerator<EngineMessage> {
    const operation = `build the image ${options.tag}`;
    const { tag, labels } = options;
    const stream = await this.#caller.open(
      operation,
      (docker, abort) => docker.buildImage(context, { t: tag, labels, rm: true, forcerm: true, ...abort }),
      options,
    );
    yield* this.#messages(stream, operation, options);
  }

  /** Gives an image another name. */
  async tag(image: string, name: string, options?: EngineCallOptions): Promise<void> {
    const [repo, tag] = splitTag(name);
    await this.#caller.call(
      `tag the image ${image} as ${name}`,
      (docker, abortSignal) => docker.getImage(image).tag({ repo, ...(tag !== undefined && { tag }), abortSignal }),
      options,
    );
  }

  /** Removes an image, or one of its names. One that is not there is fine. */
  async remove(name: string, options?: EngineCallOptions): Promise<void> {
    try {
      await this.#caller.call(
        `remove the image ${name}`,
        (docker, abortSignal) => docker.getImage(name).remove({ abortSignal }),
        options,
      );
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
  }

  async *#messages(
    stream: NodeJS.ReadableStream,
    operation: string,
    options: EngineCallOptions = {},
  ): AsyncGenerator<EngineMessage> {
    try {
      yield* readEngineMessages(stream as AsyncIterable<Uint8Array>);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw translateEngineError(error, operation, this.#caller.endpoint);
    }
  }
}

/** A colon before the last slash is a registry's port. */
function splitTag(name: string): readonly [repository: string, tag: string | undefined] {
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return colon === -1 ? [name, undefined] : [name.slice(0, colon), name.slice(colon + 1)];
}
