import { describe } from 'vitest';
import { backgroundContract } from './background.ts';
import type { BackendContractOptions } from './contract-backend.ts';
import { execContract } from './exec.ts';
import { filesContract } from './files.ts';
import { recordsContract } from './records.ts';
import { searchContract } from './search.ts';
import { treesContract } from './trees.ts';

/** Every behaviour that is asked of a backend, as tests: call it in a test file of the backend. */
export function describeBackendContract(name: string, options: BackendContractOptions): void {
  describe(`backend contract: ${name}`, () => {
    execContract(options);
    backgroundContract(options);
    filesContract(options);
    recordsContract(options);
    treesContract(options);
    searchContract(options);
  });
}
