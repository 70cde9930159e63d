import type { Backend } from '../backend/backend.ts';
import type { BackgroundProcess } from '../backend/background.ts';
import type { KeyedMutex } from '../state/keyed-mutex.ts';
import type { BuiltinSurroundings } from './define-builtin.ts';
import type { FileVersions } from './file-versions.ts';
import type { ToolPaths } from './paths.ts';

/** What the built-in tools of one session work with. */
export interface BuiltinContext extends BuiltinSurroundings {
  readonly backend: Backend;
  readonly paths: ToolPaths;
  readonly versions: FileVersions;
  readonly fileLocks: KeyedMutex;
  readonly recordDirectory: string | undefined;
  readonly onBackground: (process: BackgroundProcess) => void;
  readonly mediaTypes: readonly string[];
  readonly maxMediaBytes: number;
}
