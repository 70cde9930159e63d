import { describe, expect, it } from 'vitest';
import { addressesOfSlot } from './cluster-addresses.ts';
import { clusterFolder } from './cluster-folder.ts';
import { PART_NAMES, partCommand } from './parts.ts';

describe('partCommand', () => {
  const options = { folder: clusterFolder('/cluster'), addresses: addressesOfSlot(0), kubernetes: '/bin/kubernetes' };

  it('has every part work within the folder and listen on the loopback alone', () => {
    for (const part of PART_NAMES) {
      const command = partCommand(part, options);
      expect(command[part === 'containerd' ? 0 : 1]).toBe(part);
      const values = command.slice(2).map((argument) => argument.slice(argument.indexOf('=') + 1));
      for (const path of values.filter((value) => value.startsWith('/') && !value.includes('10.96')))
        expect(path).toMatch(/^\/cluster\/run\//);
      for (const url of values.filter((value) => value.startsWith('http://')))
        expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    }
  });
});
