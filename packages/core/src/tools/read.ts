import { z } from 'zod';
import type { ReadFileResult } from '../backend/files.ts';
import { EncodingUnsupportedError } from '../errors/encoding-unsupported-error.ts';
import { FileNotFoundError } from '../errors/file-not-found-error.ts';
import { NotAFileError } from '../errors/not-a-file-error.ts';
import { lazy } from '../lazy.ts';
import { sniffMediaType } from '../offload/media-types.ts';
import type { BuiltinContext } from './builtin-context.ts';
import { type BuiltinCall, type BuiltinOutcome, defineBuiltin, failure, success } from './define-builtin.ts';
import { formatCall } from './format-call.ts';
import type { ToolPath } from './paths.ts';
import { acceptsMediaType, binaryFailure, readMedia } from './read-media.ts';
import { MAX_PAGE_BYTES, MIN_PAGE_BYTES, showBytes, showLines, type ShownPage } from './read-text.ts';
import { readLinePage } from './text/line-page.ts';
import type { Tool } from './tool.ts';

const DEFAULT_LINES = 2_000;
const MAX_LINE_LENGTH = 2_000;
const DEFAULT_BYTES = 64 * 1024;
/** Enough for most files, so that one request to the backend is all it takes. */
const HEAD_BYTES = MAX_PAGE_BYTES;

const parameters = lazy(() =>
  z.object({
    file_path: z.string().min(1).describe("Absolute path, or one relative to the workspace's directory."),
    offset: z.int().min(1).optional().describe('Number of the first line to show, from 1. Default 1.'),
    limit: z.int().min(1).optional().describe(`Lines to show. Default ${DEFAULT_LINES}.`),
    byte_offset: z.int().min(0).optional().describe('Show plain text from this byte on, in place of lines.'),
    byte_limit: z
      .int()
      .min(MIN_PAGE_BYTES)
      .max(MAX_PAGE_BYTES)
      .optional()
      .describe(`Bytes to show with byte_offset. Default ${DEFAULT_BYTES}.`),
  }),
);

type ReadInput = z.output<ReturnType<typeof parameters>>;

const description = `Reads a file: UTF-8 text by lines, or an image or PDF to look at, told apart by content.

- Each line is shown as its number, a tab, and its text. Number and tab are not part of the file.
- A result shows ${DEFAULT_LINES} lines and 256 KiB at most, and lines longer than ${MAX_LINE_LENGTH} characters are cut. Where something is missing, the result has the exact call that shows it.
- Line ends (LF or CRLF) look alike, and a byte order mark is not shown; Edit keeps both.
- Takes workspace:/// URLs as paths. For directories use Glob.`;

interface OpenedFile {
  readonly target: ToolPath;
  readonly head: ReadFileResult;
}

async function readFile(context: BuiltinContext, input: ReadInput, call: BuiltinCall): Promise<BuiltinOutcome> {
  const isByBytes = input.byte_offset !== undefined || input.byte_limit !== undefined;
  if (isByBytes && (input.offset !== undefined || input.limit !== undefined)) {
    return failure('Give either offset and limit (lines) or byte_offset and byte_limit (bytes), not both.', {
      error_code: 'input-invalid',
    });
  }
  const target = await context.paths.readable(input.file_path, { signal: call.signal });
  const order = context.versions.next();
  try {
    const head = await context.backend.readFile(target.realPath, { length: HEAD_BYTES, signal: call.signal });
    const outcome = await showFile(context, { target, head }, input, call);
    if (outcome.state === 'success') context.versions.learn(target.realPath, head.stat.version, order);
    return outcome;
  } catch (error) {
    if (FileNotFoundError.isInstance(error)) context.versions.forget(target.realPath);
    if (!NotAFileError.isInstance(error) || error.details.kind !== 'directory') throw error;
    const list = formatCall('Glob', { pattern: '*', path: target.path });
    return failure(`${target.path} is a directory. To list its files: ${list}`, { error_code: error.code });
  }
}

async function showFile(
  context: BuiltinContext,
  { target, head }: OpenedFile,
  input: ReadInput,
  call: BuiltinCall,
): Promise<BuiltinOutcome> {
  const { path } = target;
  if (head.bytes.length === 0) return success(`${path} is empty (0 bytes).`);
  const sizeBytes = Math.max(head.stat.sizeBytes, head.bytes.length);
  const mediaType = sniffMediaType(head.bytes);
  if (mediaType !== undefined && acceptsMediaType(context.mediaTypes, mediaType)) {
    return readMedia(context, { target, mediaType, sizeBytes }, call);
  }
  try {
    const isByBytes = input.byte_offset !== undefined || input.byte_limit !== undefined;
    const page = isByBytes
      ? await bytePage(context, { target, head }, input, call)
      : await linePage(context, { target, head }, input, call);
    if (typeof page === 'string') return failure(page, { error_code: 'offset-past-end' });
    if (page.text.includes('\0')) return binaryFailure(context, { path, mediaType, sizeBytes });
    return success(page.text, page.next === undefined ? {} : { next_call: { tool: 'Read', input: page.next } });
  } catch (error) {
    const isNamed = mediaType !== undefined || isBinary(head.bytes);
    if (!isNamed || !EncodingUnsupportedError.isInstance(error)) throw error;
    return binaryFailure(context, { path, mediaType, sizeBytes });
  }
}

/** NUL is in no text but UTF-16's, which its byte order mark tells. */
function isBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && bytes.includes(0);
}

async function linePage(
  context: BuiltinContext,
  { target, head }: OpenedFile,
  { offset, limit }: ReadInput,
  { signal }: BuiltinCall,
): Promise<ShownPage | string> {
  const { path, realPath } = target;
  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head.bytes;
    if (head.bytes.length < HEAD_BYTES) return;
    yield* await context.backend.openRead(realPath, { offset: head.bytes.length, signal });
  }
  const first = offset ?? 1;
  const page = await readLinePage(source(), {
    path,
    first,
    maxLines: limit ?? DEFAULT_LINES,
    maxBytes: MAX_PAGE_BYTES,
    maxLineLength: MAX_LINE_LENGTH,
  });
  if (page.lines.length > 0) return showLines(page, { path, limit });
  const lines = page.total === 1 ? '1 line' : `${page.total ?? 0} lines`;
  return `There is no line ${first}: ${path} has ${lines}. Use a smaller offset.`;
}

async function bytePage(
  { backend }: BuiltinContext,
  { target, head }: OpenedFile,
  input: ReadInput,
  { signal }: BuiltinCall,
): Promise<ShownPage | string> {
  const { path, realPath } = target;
  const offset = input.byte_offset ?? 0;
  const length = input.byte_limit ?? DEFAULT_BYTES;
  const end = offset + length;
  const isInHead = end <= head.bytes.length || head.bytes.length < HEAD_BYTES;
  const bytes = isInHead
    ? head.bytes.subarray(offset, end)
    : (await backend.readFile(realPath, { offset, length, signal })).bytes;
  const sizeBytes = Math.max(head.stat.sizeBytes, head.bytes.length);
  if (bytes.length > 0) {
    return showBytes({ path, bytes, offset, sizeBytes, byteLimit: input.byte_limit });
  }
  return `There is no byte ${offset}: ${path} has ${sizeBytes} bytes. Use a smaller byte_offset.`;
}

/** The tool that reads files. */
export function readTool(context: BuiltinContext): Tool {
  return defineBuiltin(
    {
      name: 'Read',
      description,
      parameters: parameters(),
      annotations: { title: 'Read a file', readOnlyHint: true, openWorldHint: false },
      isReadOnly: true,
      isConcurrencySafe: true,
      isSelfPaging: true,
      run: (input, call) => readFile(context, input, call),
    },
    context,
  );
}
