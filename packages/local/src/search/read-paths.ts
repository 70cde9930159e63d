import { StringDecoder } from 'node:string_decoder';

/** Splits output at NUL bytes, a batch of paths for each chunk. What follows the last one is not given. */
export function readPaths(onPaths: (paths: readonly string[]) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (chunk) => {
    const paths = decoder.write(chunk).split('\0');
    paths[0] = rest + (paths[0] ?? '');
    rest = paths.pop() ?? '';
    onPaths(paths);
  };
}
