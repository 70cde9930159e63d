import type { IncomingMessage } from 'node:http';
import { type Metadata, metadataFault } from '../filesystem/metadata.ts';
import { FilesError } from './files-error.ts';

const PREFIX = 'x-metadata-';

/**
 * The metadata of all files of an upload: `X-Metadata-<key>` headers, the first of each.
 *
 * @throws FilesError 400
 */
export function readMetadataHeaders(request: IncomingMessage): Metadata {
  const metadata = Object.fromEntries(
    Object.entries(request.headersDistinct)
      .filter(([name]) => name.startsWith(PREFIX) && name.length > PREFIX.length)
      .map(([name, values]) => [name.slice(PREFIX.length), values?.[0] ?? '']),
  );
  const fault = metadataFault(metadata);
  if (fault !== undefined) throw new FilesError(400, `invalid metadata: ${fault}`);
  return metadata;
}
