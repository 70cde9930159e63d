import { posix } from 'node:path';
import type { DataBlock } from '../messages/blocks.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, failure, textBlock } from './define-builtin.ts';
import type { ToolPath } from './paths.ts';

/** Whether a media type is one of `accepted`, where `image/*` stands for all images. */
export function acceptsMediaType(accepted: readonly string[], mediaType: string): boolean {
  return accepted.some((entry) =>
    entry.endsWith('/*') ? mediaType.startsWith(entry.slice(0, -1)) : entry === mediaType || entry === '*',
  );
}

export interface MediaFile {
  readonly target: ToolPath;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** A media file as data that the model can look at. */
export async function readMedia(
  { backend, maxMediaBytes }: BuiltinContext,
  { target, mediaType, sizeBytes }: MediaFile,
  { signal }: BuiltinCall,
): Promise<BuiltinOutcome> {
  const { path, realPath } = target;
  if (sizeBytes > maxMediaBytes) {
    return failure(
      `${path} is ${mediaType} of ${sizeBytes} bytes, more than the ${maxMediaBytes} that can be shown. Make a smaller copy with Bash and read that.`,
      { error_code: 'file-too-large' },
    );
  }
  const { bytes } = await backend.readFile(realPath, { maxBytes: maxMediaBytes, signal });
  const text = textBlock(`${path} (${mediaType}, ${bytes.length} bytes):`);
  const data: DataBlock = {
    type: 'data',
    id: textBlock('').id,
    name: posix.basename(path),
    source: { type: 'base64', data: Buffer.from(bytes).toString('base64'), media_type: mediaType },
  };
  return { content: [text, data], state: 'success', metadata: { media_type: mediaType, size_bytes: bytes.length } };
}

/** What to say of a file that is neither text nor media that can be shown. */
export function binaryFailure(
  { mediaTypes }: BuiltinContext,
  file: { readonly path: string; readonly mediaType: string | undefined; readonly sizeBytes: number },
): BuiltinOutcome {
  const kind = file.mediaType ?? 'binary, not text';
  const shown = mediaTypes.length === 0 ? 'text' : `text, ${mediaTypes.join(', ')}`;
  return failure(
    `${file.path} is ${kind} (${file.sizeBytes} bytes), which cannot be shown. Read shows ${shown}. Look at it with Bash, for example with file, xxd or a converter.`,
    { error_code: 'binary-file', media_type: file.mediaType ?? null },
  );
}
