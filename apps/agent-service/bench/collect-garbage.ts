/*
 * Loaded into the service before its own code: has it collect its garbage at SIGUSR2, and say so, so that
 * what is left is in use.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collect();
  process.stderr.write('collected\n');
});
