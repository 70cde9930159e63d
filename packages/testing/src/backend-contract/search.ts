import { describe } from 'vitest';
import type { BackendContractOptions } from './contract-backend.ts';
import { searchGlobContract } from './search-glob.ts';
import { searchGrepContract } from './search-grep.ts';
import { searchOutcomeContract } from './search-outcome.ts';

/** `Backend.glob` and `Backend.grep`. */
export function searchContract(options: BackendContractOptions): void {
  describe('search', () => {
    searchGlobContract(options);
    searchGrepContract(options);
    searchOutcomeContract(options);
  });
}
