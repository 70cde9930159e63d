/** File extensions by media type. Our own, so that every host names a file alike. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/xml': 'xml',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

const ALIASES: Readonly<Record<string, string>> = {
  'audio/mp3': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
  'text/xml': 'application/xml',
};

/** How a kind of media begins: bytes at an offset. The longest story first where two share a start. */
const SIGNATURES: readonly { readonly mediaType: string; readonly parts: readonly (readonly [number, string])[] }[] = [
  { mediaType: 'image/png', parts: [[0, '\x89PNG\r\n\x1a\n']] },
  { mediaType: 'image/jpeg', parts: [[0, '\xff\xd8\xff']] },
  { mediaType: 'image/gif', parts: [[0, 'GIF8']] },
  {
    mediaType: 'image/webp',
    parts: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    mediaType: 'audio/wav',
    parts: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { mediaType: 'image/avif', parts: [[4, 'ftypavif']] },
  { mediaType: 'image/heic', parts: [[4, 'ftyphei']] },
  { mediaType: 'audio/mp4', parts: [[4, 'ftypM4A']] },
  { mediaType: 'video/quicktime', parts: [[4, 'ftypqt']] },
  { mediaType: 'video/mp4', parts: [[4, 'ftyp']] },
  { mediaType: 'application/pdf', parts: [[0, '%PDF-']] },
  { mediaType: 'audio/mpeg', parts: [[0, 'ID3']] },
  { mediaType: 'audio/flac', parts: [[0, 'fLaC']] },
  { mediaType: 'image/tiff', parts: [[0, 'II*\0']] },
  { mediaType: 'image/tiff', parts: [[0, 'MM\0*']] },
];

/** The kind of media that the first bytes show; `undefined` for text and what is not in the table. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 32)).toString('latin1');
  return SIGNATURES.find(({ parts }) => parts.every(([offset, text]) => head.startsWith(text, offset)))?.mediaType;
}

/** The type without parameters, in lower case, under its usual name. */
function normalizeMediaType(mediaType: string): string {
  const bare = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  return ALIASES[bare] ?? bare;
}

/**
 * The extension of a media file, without the dot: by its content where that shows it, so that the
 * same bytes make one file whatever they were called, else by its type; `bin` for what is not in
 * the table.
 */
export function mediaExtension(bytes: Uint8Array, mediaType: string): string {
  return EXTENSIONS[sniffMediaType(bytes) ?? normalizeMediaType(mediaType)] ?? 'bin';
}
