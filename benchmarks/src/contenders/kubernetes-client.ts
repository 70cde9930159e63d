import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Exec, type V1Status } from '@kubernetes/client-node';
import { startBarePod } from '../kubernetes/bare-pod.ts';
import type { BenchNamespace } from '../kubernetes/bench-cluster.ts';
import type { Contender } from './contender.ts';

/** The client's own exec, in a bare Pod: it has no other way to a file. */
export async function openKubernetesClient(namespace: BenchNamespace): Promise<Contender> {
  const pod = await startBarePod(namespace);
  const exec = new Exec(namespace.config);
  const run = async (command: readonly string[]): Promise<Buffer> => {
    const stdout = new PassThrough();
    const read = buffer(stdout);
    const { promise, resolve, reject } = Promise.withResolvers<V1Status>();
    const { name } = namespace;
    const socket = await exec.exec(name, pod.name, pod.container, [...command], stdout, null, null, false, resolve);
    socket.on('close', () => reject(new Error('The connection ended before the command.')));
    const { status, message } = await promise;
    if (status !== 'Success') throw new Error(`${command.join(' ')}: ${message}`);
    return await read;
  };
  return {
    name: 'client-node',
    async execTrue() {
      await run(['true']);
    },
    async writeFile(path, content) {
      await run(['sh', '-c', 'printf %s "$1" > "/tmp/$0"', path, content]);
    },
    async readFile(path) {
      return (await run(['cat', `/tmp/${path}`])).length;
    },
    [Symbol.asyncDispose]: () => pod.remove(),
  };
}
