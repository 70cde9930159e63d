import { StringDecoder } from 'node:string_decoder';

/** Splits output at NUL bytes. What follows the last one is not given. */
export function readPaths(onPath: (path: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (chunk) => {
    const paths = (rest + decoder.write(chunk)).split('\0');
    rest = paths.pop() ?? '';
    for (const path of paths) onPath(path.startsWith('./') ? path.slice(2) : path);
  };
}
