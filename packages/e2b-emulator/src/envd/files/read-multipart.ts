import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilesError } from './files-error.ts';

/** The name of the parts that are files. */
const FILE_PART = 'file';

/** One file of a form. */
export interface FilePart {
  /** With all its slashes. `undefined` where the part has none. */
  readonly fileName: string | undefined;
  readonly body: Readable;
}

function createParser(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: (fieldName) => fieldName === FILE_PART,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FilesError(500, `error parsing multipart form: ${reason}`, { cause: error });
  }
}

/**
 * Hands each file of a form on as it comes, one after another. Other parts are passed over. After a failure the
 * rest of the form is read and thrown away, so that the client gets to the answer.
 *
 * @throws FilesError 500 for what is not a form, and whatever `store` throws first
 */
export async function readMultipart(
  request: IncomingMessage,
  body: Readable,
  store: (part: FilePart) => Promise<void>,
): Promise<void> {
  const parser = createParser(request);
  let stored: Promise<void> = Promise.resolve();
  parser.on('file', (_fieldName, part, fileName: string | undefined) => {
    // Whoever fails destroys what it reads from. The part itself is read to its end, or the parser waits for ever.
    const content = new PassThrough();
    part.pipe(content);
    content.once('close', () => part.resume());
    // The parser tells of half a part by an event alone, which may come before anybody reads the part.
    part.on('error', (error: Error) => content.destroy(error));
    content.on('error', () => undefined);
    stored = stored.then(() => store({ fileName, body: content }));
    stored.catch(() => content.destroy());
  });
  try {
    await pipeline(body, parser);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FilesError(500, `error reading form: ${reason}`, { cause: error });
  } finally {
    await stored;
  }
}
