import { lazy } from '@agent-workspace/core';
import { fileOperations, type FileOperations } from './file-operations.ts';
import { processOperations, type ProcessOperations } from './process-operations.ts';
import { searchOperations, type SearchOperations } from './search-operations.ts';
import { treeOperations, type TreeOperations } from './tree-operations.ts';

export interface BackendOperations extends FileOperations, TreeOperations, SearchOperations, ProcessOperations {}

export type OperationName = keyof BackendOperations;
export type OperationInput<Name extends OperationName> = Parameters<BackendOperations[Name]['run']>[1];
export type OperationOutput<Name extends OperationName> = Awaited<ReturnType<BackendOperations[Name]['run']>>;

/**
 * The backend's methods that take and give JSON. The gateway's routes and the client's calls both
 * come from here, so that no method is written twice.
 */
export const backendOperations: () => BackendOperations = lazy(() => ({
  ...fileOperations(),
  ...treeOperations(),
  ...searchOperations(),
  ...processOperations(),
}));
