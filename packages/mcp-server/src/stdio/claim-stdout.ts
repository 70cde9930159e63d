import { Writable } from 'node:stream';

/**
 * Takes stdout for the protocol alone: what anything else in this process writes to it, `console.log`
 * included, goes to stderr, since a client takes every line of it for a message.
 *
 * @returns the only way to stdout, and how it is given back
 */
export function claimStdout(): { readonly output: Writable; readonly release: () => void } {
  const { stdout, stderr } = process;
  // oxlint-disable-next-line typescript/unbound-method -- to be put back as it was
  const original = stdout.write;
  const write = original.bind(stdout) as (chunk: Uint8Array, callback: (error?: Error | null) => void) => boolean;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => void write(chunk, callback),
  });
  const onError = (error: Error): void => void output.destroy(error);
  stdout.once('error', onError);
  stdout.write = ((...parameters: Parameters<typeof stderr.write>) =>
    stderr.write(...parameters)) as typeof stdout.write;
  const release = (): void => {
    stdout.write = original;
    stdout.off('error', onError);
  };
  return { output, release };
}
