import { describe } from 'vitest';
import type { BackendContractOptions } from './contract-backend.ts';
import { filesBorderContract } from './files-border.ts';
import { filesEntriesContract } from './files-entries.ts';
import { filesReadContract } from './files-read.ts';
import { filesWriteContract } from './files-write.ts';

/** Single files and directories. */
export function filesContract(options: BackendContractOptions): void {
  describe('files', () => {
    filesReadContract(options);
    filesWriteContract(options);
    filesBorderContract(options);
    filesEntriesContract(options);
  });
}
